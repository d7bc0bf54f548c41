/// When the engine queries an outcome again that nobody knows, and when it hands it to a person.
public enum CheckSchedule {
    /// Queries at once, after 5 minutes, 1 hour and 1 day, then daily.
    public static let waits: [Span] = [.seconds(0), .minutes(5), .hours(1), .days(1)]
    /// After so many queries a person is asked; the engine still queries daily.
    public static let checksBeforeAttention = 4
    /// How long a call that is in flight belongs to the one who made it.
    public static let answerLease: Span = .seconds(60)
    /// How often the engine checks whether a customer has done what was asked of him.
    public static let actionInterval: Span = .minutes(5)
    /// How long a customer may take over a challenge; then the attempt is voided.
    public static let actionLifetime: Span = .hours(1)
    /// How long before the end of a hold a person is warned; half of the hold's time if that is shorter.
    public static let holdWarning: Span = .days(1)
    /// How much earlier than the provider a key is taken as forgotten: a request takes 5 minutes at most to arrive, and
    /// the clocks of machines have been seen an hour wrong, in both directions.
    public static let keyMargin: Span = .minutes(125)
    /// The longest wait before what was certainly not done is sent again.
    public static let longestResendWait: Span = .minutes(5)
    /// How long to wait before sending again what was certainly not sent: doubling from 1 second to 5 minutes.
    public static func resendWait(tries: Int) -> Span {
        let doublings = min(max(tries, 0), 9)
        return min(longestResendWait, .seconds(Int64(1) << Int64(doublings)))
    }
    /// The wait before query number `checks` (0 is the first).
    public static func wait(checks: Int) -> Span {
        checks >= 0 && checks < waits.count ? waits[checks] : .days(1)
    }
}
