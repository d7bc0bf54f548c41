public import TillCore

/// The limits of an app's checkout. Every wait and every size has a name here.
public struct CounterCheckoutLimits: Hashable, Sendable {
    /// For one exchange that moves no money.
    public var exchange = Span.seconds(15)
    /// For one request to pay, which lasts until the provider has answered the counter.
    public var payment = Span.seconds(60)
    /// For an outcome: from the first request on, and again after the customer came back from the bank.
    public var settling = Span.seconds(90)
    /// For an outcome after the customer closed the bank's page, who may have confirmed there.
    public var afterClosing = Span.seconds(20)
    /// For the bank's page. Banks end theirs earlier.
    public var challenge = Span.minutes(25)
    /// The most pages of banks that one call shows.
    public var challenges = 2
    /// The pause before the counter is asked again.
    public var pause = Span.seconds(1)
    /// The most times that a request which moves no money is sent in one call.
    public var maximumTries = 3
    /// The most bytes of an answer; of a receipt, too.
    public var answerBytes = 1 << 20

    public init() {}

    /// Returns how often the counter is asked within a span. Counted, since a telephone's clock may be set meanwhile.
    func rounds(of span: Span) -> Int64 { 1 + span.milliseconds / max(1, pause.milliseconds) }
}
