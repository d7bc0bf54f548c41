import TillCore

/// The time limits and other limits of the database access.
enum PostgresLimits {
    /// The time limit for connecting, over all hosts of an address: name resolution, network and the server's greeting.
    static let connectTime = Span.seconds(8)
    /// The time limit for connecting to one of several hosts, so that a silent one leaves time for the next.
    static let connectTimePerHost = Span.seconds(3)
    /// The time limit for a read or a commit. A commit that takes longer has an unknown outcome.
    static let answerTime = Span.seconds(5)
    /// The time limit for a full scan, such as a check of the journal.
    static let longAnswerTime = Span.minutes(10)
    /// The time limit for resolving an unanswered commit.
    static let receiptTime = Span.seconds(6)
    /// The maximum number of attempts for a batch that certainly was not written.
    static let maximumTries = 3
    /// The time beyond its lease before a counter on another machine is presumed dead, to allow for its commits.
    static let leaseGrace = Span.seconds(5)
    /// The maximum wait for a lease; a longer one was written by a different clock.
    static let longestLease = Span.minutes(2)
    /// The minimum interval between a counter's hints; commits in between are combined in the next one.
    static let hintInterval = Span.milliseconds(100)
    /// The time without a hint after which the connection for hints is probed.
    static let hintProbe = Span.seconds(10)
    /// The initial pause before reconnecting, doubled each time up to the longest.
    static let shortestHintPause = Span.milliseconds(100)
    static let longestHintPause = Span.seconds(5)
    /// The maximum number of rows of one command in a full scan.
    static let surveyPage = 1_000
    /// The number of reading sessions. Each costs the server a few megabytes.
    static let readers = 2
    /// The oldest supported server version: it must support the arrays, committing procedures and `jit` used here.
    static let oldestServer: Int32 = 150_000
}
