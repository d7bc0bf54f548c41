public import TillCore

/// Metrics of the journal, for monitoring.
public struct JournalMetrics: Hashable, Sendable {
    public var payments: [PaymentStatus: Int] = [:]
    /// The number of payments with pending work, due now or later.
    public var pending = 0
    /// The number of payments with overdue work.
    public var due = 0
    /// The time since which the most overdue one is due.
    public var oldestDue: Timestamp?

    package init() {}
}

/// Statistics of the journal's writer since it was opened.
public struct JournalStatistics: Hashable, Sendable {
    /// The number of writes processed, including refused ones.
    public var writes = 0
    /// The number of commits, each with one sync of the disk.
    public var commits = 0
    /// The largest number of writes in one commit.
    public var largestBatch = 0
    /// The number of writes currently waiting.
    public var waiting = 0

    mutating func count(batch: Int) {
        writes += batch
        commits += 1
        largestBatch = max(largestBatch, batch)
    }
}
