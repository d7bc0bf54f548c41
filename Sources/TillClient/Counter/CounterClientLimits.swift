public import TillCore

/// The limits of a client. Every wait and every size has a name here.
public struct CounterClientLimits: Hashable, Sendable {
    /// For one exchange, from the connection to the end of the answer.
    public var exchange = Span.seconds(30)
    /// For a confirmation, which lasts until a card is presented and charged.
    public var confirmation = Span.seconds(180)
    /// The most bytes of an answer. A longer one is not read.
    public var answerBytes = 1 << 20
    /// The most times that one request is sent, always under the same idempotency key. Requests that change something
    /// without a key are sent again only if nothing of them was sent, or if the counter carries them out once anyway.
    public var maximumTries = 3
    /// The pause before a request is sent again; multiplied by the number of tries so far.
    public var retryPause = Span.milliseconds(500)
    /// For the renewal of a device's session, which a call waits for.
    public var renewal = Span.seconds(5)
    /// The shortest time between two renewals of a device's session.
    public var renewalPause = Span.seconds(30)
    /// For one connection of the event stream. The counter keeps it open; a longer sale opens another.
    public var eventStream = Span.minutes(10)
    /// The most bytes of one connection of the event stream.
    public var eventStreamBytes = 8 << 20

    public init() {}
}
