import GRDB
public import TillCore
public import TillJournal

extension SQLiteJournal {
    /// Returns the number of payments by status, and of pending work, from totals maintained by the commits.
    public func metrics(at moment: Timestamp) async throws(JournalError) -> JournalMetrics {
        try await read { [self] db in
            var metrics = JournalMetrics()
            let columns = Tally.all.map(\.column).joined(separator: ", ")
            if let counts = try Row.fetchOne(db, sql: "SELECT \(columns) FROM journal WHERE id = 1") {
                for (place, tally) in Tally.all.enumerated() {
                    let count: Int = counts[place]
                    switch tally {
                    case .payments(let status): metrics.payments[status] = count
                    case .pending: metrics.pending = count
                    }
                }
            }
            for (holder, owner) in try holders(db) {
                let statement = try db.cachedStatement(
                    sql: "SELECT count(*), min(due_at) FROM outbox WHERE \(holder) AND due_at <= ?")
                guard let row = try Row.fetchOne(statement, arguments: owner + [moment.milliseconds]) else { continue }
                metrics.due += row[0]
                guard let oldest = (row[1] as Int64?).map({ Timestamp(milliseconds: $0) }) else { continue }
                metrics.oldestDue = min(metrics.oldestDue ?? oldest, oldest)
            }
            return metrics
        }
    }

    /// Proves that the journal accepts writes: commits as many bytes as a response needs, with a sync of the disk, and
    /// checks that space is reserved for further responses.
    /// - Throws: `JournalError.full` or `JournalError.unavailable`.
    public func checkWriting() async throws(JournalError) {
        try await writeAlone { db in
            try db.execute(
                sql: "UPDATE probe SET body = randomblob(?) WHERE id = 1",
                arguments: [JournalLimits.largestCommonAnswer]
            )
            guard db.changesCount == 1 else {
                throw JournalError.corrupted("the row that is written as a probe is missing")
            }
        }
        guard ballast.take() else { throw .full(Ballast.shortage) }
    }
}
