import TillCore

/// How long the journal waits for the database.
enum PostgresLimits {
    /// For a session: the look-up of a name, the way there, and the server's greeting, over all hosts of an address.
    static let connectTime = Span.seconds(8)
    /// For a session with one of several hosts, so that one that is silent leaves time for the next.
    static let connectTimePerHost = Span.seconds(3)
    /// For the answer to a read or a commit. A commit that takes longer is not known to have been made.
    static let answerTime = Span.seconds(5)
    /// For the answer to what goes over everything, as a check of the journal does.
    static let longAnswerTime = Span.minutes(10)
    /// For how long it is asked what became of a commit whose answer did not come.
    static let receiptTime = Span.seconds(6)
    /// How often a batch is sent again of which it is known that nothing of it was done.
    static let maximumTries = 3
    /// Beyond its lease, before a counter on another machine is taken for dead: the times that commits take.
    static let leaseGrace = Span.seconds(5)
    /// No lease is waited for longer: what says more was written by another clock.
    static let longestLease = Span.minutes(2)
    /// The shortest time between two hints of a counter: what is committed meanwhile goes into the next one.
    static let hintInterval = Span.milliseconds(100)
    /// After so long without a hint it is asked whether the line on which they come still stands.
    static let hintProbe = Span.seconds(10)
    /// Before it is made anew, doubled each time until the longest.
    static let shortestHintPause = Span.milliseconds(100)
    static let longestHintPause = Span.seconds(5)
    /// Rows that one command reads at most where everything is gone through.
    static let surveyPage = 1_000
    /// Sessions that read. Each costs the server some megabytes.
    static let readers = 2
    /// The oldest server: arrays, procedures that commit, and `jit` as they are used here.
    static let oldestServer: Int32 = 150_000
}
