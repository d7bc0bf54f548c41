public import TillCore

/// The times that Tap to Pay lives by, each with its source. They are data, so that a test can shorten none by accident
/// and a provider with other limits can give its own.
public struct TapToPayDeadlines: Hashable, Sendable {
    /// How long the sealed card data of one read are valid. Source: Apple, 60 s.
    public var ciphertext: Span = .seconds(60)
    /// How long after a read its PIN can still be asked for. Source: Apple, 55 s.
    public var pin: Span = .seconds(55)
    /// How long the last stored read can still be declined. Source: Apple, 60 s.
    public var offlineDecline: Span = .seconds(60)
    /// How long after the last time online reads may be stored. Source: Apple, 24 h.
    public var offlineFreshness: Span = .hours(24)
    /// How long a reader token is valid. Source: two providers, 48 h; Apple gives no figure.
    public var tokenLifetime: Span = .hours(48)
    /// A token is renewed this long before its end.
    public var tokenRenewal: Span = .hours(4)
    /// The first preparation may take this long. Source: Apple, up to two minutes; with room.
    public var preparation: Span = .minutes(3)
    /// The longest that a read waits for a card before it is canceled.
    public var read: Span = .minutes(2)
    /// The first pause before a session is made again; it doubles.
    public var firstBackOff: Span = .milliseconds(500)
    /// The longest pause before a session is made again.
    public var longestBackOff: Span = .seconds(30)

    public init() {}

    /// The pause before try number `attempt`, counted from 1.
    public func backOff(attempt: Int) -> Span {
        let doublings = Int64(min(max(attempt, 1), 21) - 1)
        let (pause, overflow) = firstBackOff.milliseconds.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? longestBackOff : min(Span(milliseconds: pause), longestBackOff)
    }
}
