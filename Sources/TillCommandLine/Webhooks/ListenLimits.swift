import TillCore
import TillFeatureWebhooks

/// The limits of `till listen`.
enum ListenLimits {
    /// The waits before each further attempt to hand a message to a program that is down or answers 429 or 5xx. After
    /// the last one the message is left out, and the next one follows.
    static let waits: [Span] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(15)]
    /// The sum of ``waits``, in seconds.
    static let waitSeconds = waits.reduce(0) { $0 + $1.milliseconds } / 1_000
    /// The pause before the counter is connected to again.
    static let reconnectPause = Span.seconds(1)
    /// The number of connections in a row that may fail before the command ends: five minutes.
    static let failedConnections = 300
    /// The time limit of one connection of the stream; another one follows it.
    static let connection = Span.minutes(10)
    /// The maximum size of one connection of the stream, in bytes; another one follows it.
    static let connectionBytes = 8 << 20
    /// The maximum size of one line of the stream, in bytes.
    static let lineBytes = 64 << 10
    /// The time limit of one request to the counter.
    static let exchange = Span.seconds(10)
    /// The maximum number of events that were read and are not handed on yet. With more the connection ends, and they
    /// are read again later.
    static let waitingEvents = 1_000
    /// The maximum size of the part of a program's answer that is shown, in bytes.
    static let excerptBytes = WebhookLimits.excerptBytes
}
