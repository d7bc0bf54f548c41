/// When the engine queries an outcome again that nobody knows, and when it hands it to a person.
public enum CheckSchedule {
    /// Queries at once, after 5 minutes, 1 hour and 1 day, then daily.
    public static let waits: [Span] = [.seconds(0), .minutes(5), .hours(1), .days(1)]
    /// After this many queries a person is asked; the engine still queries daily.
    public static let checksBeforeAttention = 4
    /// How long a call that is in flight belongs to the one who made it.
    public static let answerLease: Span = .seconds(60)
    /// How often the engine checks whether a customer has done what was asked of him.
    public static let actionInterval: Span = .minutes(5)
    /// How long a customer may take over a challenge; then the attempt is voided.
    public static let actionLifetime: Span = .hours(1)
    /// How often it checks once the customer's time seems to be over and nobody knows the time: each check is an event.
    public static let doubtedActionInterval: Span = .hours(1)

    /// How long a check waits after the last one, of a challenge that began and was last written then. A clock that was
    /// set back by more than ``keyMargin`` has passed it, too.
    static func actionWait(since start: Timestamp, lastWritten: Timestamp) -> Span {
        let isInTime = isRecent(start, within: actionLifetime, at: lastWritten)
        return isInTime ? actionInterval : doubtedActionInterval
    }

    /// How long before the end of a hold a person is warned; half of the hold's time if that is shorter.
    public static let holdWarning: Span = .days(1)
    /// How much earlier than the provider a key is taken as forgotten: a request takes 5 minutes at most to arrive, and
    /// the clocks of machines have been seen an hour wrong, in both directions.
    public static let keyMargin: Span = .minutes(125)
    /// No query and no sending is ever planned further ahead than this. What is due later was planned by a clock that
    /// was wrong, and is due now. Ends of holds and of stored taps are as far away as the provider says.
    public static let furthestCheck: Span = .days(2)
    /// The longest wait before what was certainly not done is sent again, in the first hours.
    public static let longestResendWait: Span = .minutes(5)
    /// After this many tries, about two hours, it is an outage of days: each try is an event of the journal for ever.
    public static let triesBeforePatience = 32
    /// The wait between two tries from then on.
    public static let patientResendWait: Span = .hours(1)
    /// How long to wait before sending again what was certainly not done: doubling from 1 second to 5 minutes, and an
    /// hour after two hours of that.
    public static func resendWait(tries: Int) -> Span {
        guard tries < triesBeforePatience else { return patientResendWait }
        let doublings = min(max(tries, 0), 9)
        return min(longestResendWait, .seconds(Int64(1) << Int64(doublings)))
    }
    /// The longest wait after a query for which our own credentials were rejected: as long as before what was certainly
    /// not done is sent again.
    static func longestRejectedWait(checks: Int) -> Span {
        checks < triesBeforePatience ? longestResendWait : patientResendWait
    }
    /// Whether it is time for what was planned for a moment, or the moment cannot have been meant.
    static func isReached(_ planned: Timestamp, at now: Timestamp) -> Bool {
        planned <= now || planned > now.adding(furthestCheck)
    }
    /// Whether something happened so short a time ago; `false` for what a wrong clock has put into the future, since
    /// nobody knows how old it is.
    static func isRecent(_ moment: Timestamp, within span: Span, at now: Timestamp) -> Bool {
        let age = now.since(moment)
        return age < span && age.milliseconds > -keyMargin.milliseconds
    }
    /// The wait before query number `checks` (0 is the first).
    public static func wait(checks: Int) -> Span {
        checks >= 0 && checks < waits.count ? waits[checks] : .days(1)
    }
}
