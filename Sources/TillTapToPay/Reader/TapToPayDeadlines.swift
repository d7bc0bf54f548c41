public import TillCore

/// The time limits of Tap to Pay, each with its source. They are data, so that no test shortens one by accident and a
/// provider with other limits can set its own.
public struct TapToPayDeadlines: Hashable, Sendable {
    /// The validity of the sealed card data of one read. Source: Apple, 60 s.
    public var ciphertext: Span = .seconds(60)
    /// The time after a read during which its PIN can be requested. Source: Apple, 55 s.
    public var pin: Span = .seconds(55)
    /// The time during which the last stored read can be declined. Source: Apple, 60 s.
    public var offlineDecline: Span = .seconds(60)
    /// The time since the last online session during which reads may be stored. Source: Apple, 24 h.
    public var offlineFreshness: Span = .hours(24)
    /// The validity of a reader token. Source: two providers, 48 h; Apple gives no figure.
    public var tokenLifetime: Span = .hours(48)
    /// The lead time for renewing a token before its expiry.
    public var tokenRenewal: Span = .hours(4)
    /// The limit for the first preparation. Source: Apple, up to two minutes; with a margin.
    public var preparation: Span = .minutes(3)
    /// The longest wait of a read for a card before it is canceled.
    public var read: Span = .minutes(2)
    /// The first pause before a session is retried; it doubles.
    public var firstBackOff: Span = .milliseconds(500)
    /// The longest pause before a session is retried.
    public var longestBackOff: Span = .seconds(30)

    public init() {}

    /// Returns the pause before attempt number `attempt`, counted from 1.
    public func backOff(attempt: Int) -> Span {
        let doublings = Int64(min(max(attempt, 1), 21) - 1)
        let (pause, overflow) = firstBackOff.milliseconds.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? longestBackOff : min(Span(milliseconds: pause), longestBackOff)
    }
}
