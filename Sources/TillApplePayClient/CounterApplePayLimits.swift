public import TillCore

/// The limits of Apple Pay in an app. A sheet is closed by the system 30 s after the authorization.
public struct CounterApplePayLimits: Hashable, Sendable {
    /// For one exchange.
    public var exchange = Span.seconds(22)
    /// For a payment's outcome, from the authorization on. After it only a last look of ``lastLook`` follows.
    public var settling = Span.seconds(24)
    /// For the last look at a payment without an outcome.
    public var lastLook = Span.seconds(3)
    /// For loading a basket, and for a selection with its repetitions. The system waits for 30 s.
    public var question = Span.seconds(10)
    /// The pause before an outcome is looked up again.
    public var pause = Span.milliseconds(500)
    /// The most times that a request which moves no money is sent.
    public var maximumTries = 3
    /// The most bytes of an answer.
    public var answerBytes = 1 << 18
    /// The most baskets whose proofs are remembered; the oldest is forgotten first.
    public var baskets = 16

    public init() {}
}
