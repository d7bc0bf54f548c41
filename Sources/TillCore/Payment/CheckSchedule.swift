/// The schedule on which the engine queries unknown outcomes and escalates them to an operator.
public enum CheckSchedule {
    /// The waits between queries: at once, after 5 minutes, 1 hour and 1 day, then daily.
    public static let waits: [Span] = [.seconds(0), .minutes(5), .hours(1), .days(1)]
    /// The number of queries after which an operator is notified; the engine still queries daily.
    public static let checksBeforeAttention = 4
    /// The time for which a call in flight belongs to the process that made it.
    public static let answerLease: Span = .seconds(60)
    /// The interval at which the engine checks for a pending customer action.
    public static let actionInterval: Span = .minutes(5)
    /// The time allowed for a challenge; after that the attempt is voided.
    public static let actionLifetime: Span = .hours(1)
    /// The check interval once the customer's time seems to be over while the clock is in doubt: each check is an
    /// event.
    public static let doubtedActionInterval: Span = .hours(1)

    /// Returns the wait before the next check of a challenge, from its start and its last write. A clock that was set
    /// back by more than ``keyMargin`` counts as past the lifetime.
    static func actionWait(since start: Timestamp, lastWritten: Timestamp) -> Span {
        let isInTime = isRecent(start, within: actionLifetime, at: lastWritten)
        return isInTime ? actionInterval : doubtedActionInterval
    }

    /// The lead time of the warning before a hold ends; half of the hold's time if that is shorter.
    public static let holdWarning: Span = .days(1)
    /// The safety margin by which a key counts as forgotten before the provider forgets it: a request takes at most 5
    /// minutes to arrive, and machine clocks have been observed to be off by an hour, in both directions.
    public static let keyMargin: Span = .minutes(125)
    /// The furthest that a query or a call is ever planned ahead. Anything due later was planned by a wrong clock, and
    /// is due now. The ends of holds and of stored taps are as far away as the provider reports.
    public static let furthestCheck: Span = .days(2)
    /// The longest wait in the first hours before an operation that was certainly not done is sent again.
    public static let longestResendWait: Span = .minutes(5)
    /// The number of tries, about two hours, after which the failure counts as an outage of days: each try is a
    /// permanent event of the journal.
    public static let triesBeforePatience = 32
    /// The wait between tries from then on.
    public static let patientResendWait: Span = .hours(1)
    /// Returns the wait before an operation that was certainly not done is sent again: doubling from 1 second to 5
    /// minutes, and an hour after two hours of that.
    public static func resendWait(tries: Int) -> Span {
        guard tries < triesBeforePatience else { return patientResendWait }
        let doublings = min(max(tries, 0), 9)
        return min(longestResendWait, .seconds(Int64(1) << Int64(doublings)))
    }
    /// Returns the longest wait after a query for which our own credentials were rejected: the same as before a call is
    /// sent again.
    static func longestRejectedWait(checks: Int) -> Span {
        checks < triesBeforePatience ? longestResendWait : patientResendWait
    }
    /// Returns `true` if a planned time has come, or cannot have been meant.
    static func isReached(_ planned: Timestamp, at now: Timestamp) -> Bool {
        planned <= now || planned > now.adding(furthestCheck)
    }
    /// Returns `true` if a moment is within `span` of now; `false` for one that a wrong clock has put into the future,
    /// because its age is unknown.
    static func isRecent(_ moment: Timestamp, within span: Span, at now: Timestamp) -> Bool {
        let age = now.since(moment)
        return age < span && age.milliseconds > -keyMargin.milliseconds
    }
    /// Returns the wait before query number `checks` (0 is the first).
    public static func wait(checks: Int) -> Span {
        checks >= 0 && checks < waits.count ? waits[checks] : .days(1)
    }
}
