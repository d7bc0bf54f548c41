import GRDB
public import TillCore

/// What stands in the journal, as metrics for people who watch a counter.
public struct JournalMetrics: Hashable, Sendable {
    public var payments: [PaymentStatus: Int] = [:]
    /// Payments on which something is to be done, now or later.
    public var pending = 0
    /// Payments on which something is overdue.
    public var due = 0
    /// Since when the most overdue one is due.
    public var oldestDue: Timestamp?
}

extension SQLiteJournal {
    /// Counts payments and what is pending. Reads the whole table of payments: not for every request.
    public func metrics(at moment: Timestamp) async throws(JournalError) -> JournalMetrics {
        try await read { db in
            var metrics = JournalMetrics()
            for row in try Row.fetchAll(db, sql: "SELECT status, count(*) FROM payment GROUP BY status") {
                if let status = PaymentStatus(rawValue: row[0]) { metrics.payments[status] = row[1] }
            }
            let row = try Row.fetchOne(
                db,
                sql: "SELECT (SELECT count(*) FROM outbox), count(*), min(due_at) FROM outbox WHERE due_at <= ?",
                arguments: [moment.milliseconds])
            if let row {
                metrics.pending = row[0]
                metrics.due = row[1]
                metrics.oldestDue = (row[2] as Int64?).map { Timestamp(milliseconds: $0) }
            }
            return metrics
        }
    }

    /// Proves that the journal takes writes: makes a commit, with its sync of the disk, that changes nothing.
    /// - Throws: ``JournalError/unavailable(_:)`` if the disk is full, or the file cannot be written.
    public func checkWriting() async throws(JournalError) {
        let owner = ownNumber
        try await writeAlone { db in
            try db.execute(sql: "UPDATE process SET description = description WHERE owner = ?", arguments: [owner])
            guard db.changesCount == 1 else { throw JournalError.unavailable("this process has lost its place in it") }
        }
    }
}
