import TillCore
import TillJournal
import TillStatements

/// Movements in the journal without a statement line: expected later, or missing if the statements already cover their
/// time.
struct MissingMovements {
    /// The maximum number of changes in one commit; each missing movement causes two.
    static let changesAtOnce = 2 * LineBatch.maximumLines

    let journal: any Journal & RecordStore
    let clock: any TillClock

    /// Records the period a statement covers, and checks all unmatched movements against it.
    func find(
        in statement: Reconciliation.Statement, _ outcome: inout Reconciliation.Outcome
    ) async throws(JournalError) {
        let coverage = try await covered(with: statement)
        var after: Int64?
        while !Task.isCancelled {
            let page = try await journal.records(
                RecordQuery(
                    Settlement.collection, matching: Settlement.matching(.expected, statement.provider),
                    .oldestFirst(after: after)))
            guard let last = page.last else { break }
            after = last.position
            var missing: [RecordChange] = []
            for record in page {
                let settlement = try Settlement(record)
                guard settlement.isOf(account: statement.providerAccount),
                    coverage.covers(settlement.at, lag: statement.lag)
                else {
                    outcome.expected += 1
                    continue
                }
                missing += raising(settlement, record.version)
                guard missing.count >= MissingMovements.changesAtOnce else { continue }
                try await write(missing)
                missing = []
            }
            try await write(missing)
        }
        outcome.missing = try await journal.count(
            Settlement.collection, matching: Settlement.matching(.missing, statement.provider))
    }

    private func raising(_ expected: Settlement, _ version: Int) -> [RecordChange] {
        var settlement = expected
        settlement.state = .missing
        return [
            .update(settlement.record, from: version),
            .insertIfAbsent(StatementBreak.missing(settlement, at: clock.now()).record),
        ]
    }

    /// Writes the changes in one commit, or, if another process has changed one of the movements, each movement by
    /// itself.
    private func write(_ changes: [RecordChange]) async throws(JournalError) {
        guard !changes.isEmpty else { return }
        do throws(JournalError) { return try await journal.change(changes) } catch {
            guard case .recordConflict = error else { throw error }
        }
        for start in stride(from: 0, to: changes.count, by: 2) {
            do throws(JournalError) {
                try await journal.change(Array(changes[start..<min(start + 2, changes.count)]))
            } catch {
                // Another process has matched it or reported it missing meanwhile.
                guard case .recordConflict = error else { throw error }
            }
        }
    }

    private func covered(with statement: Reconciliation.Statement) async throws(JournalError) -> StatementCoverage {
        let key = "\(statement.provider) \(statement.providerAccount ?? "-")"
        let times = statement.lines.map(\.createdAt)
        var tries = 1
        while true {
            let stored = try await journal.record(RecordID(StatementCoverage.collection, key))
            var coverage =
                try stored.map { (record) throws(JournalError) in try StatementCoverage(record) }
                ?? StatementCoverage(key: key)
            guard let from = statement.covers?.from ?? times.min(), let to = statement.covers?.to ?? times.max() else {
                return coverage
            }
            coverage.add(from: from, to: to, lag: statement.lag)
            do throws(JournalError) {
                try await journal.change([.put(coverage.record, over: stored)])
                return coverage
            } catch {
                guard case .recordConflict = error, tries < Records<StatementCoverage>.maximumConflicts else {
                    throw error
                }
                tries += 1
            }
        }
    }
}
