import GRDB
import TillCore
import TillJournal

extension SQLiteJournal {
    /// `true` once another process has taken over what this one held, because it was stalled for longer than its lease.
    /// Permanent.
    public var isLeaseLost: Bool { lease.isLost }

    /// `true` if no other process has taken over what this one holds. Needs no I/O for half of a lease after each
    /// renewal; after that the lease is renewed first, and a failed renewal returns `false`.
    public func holdsLease() async -> Bool {
        if lease.isFresh { return true }
        do throws(JournalError) { try await confirmLease() } catch { return false }
        return lease.isFresh
    }

    /// Renews the lease and checks those of others until the journal is closed. Runs as a task, so that a process in
    /// which tasks no longer run loses its lease too. Retains the journal while it works, not while it waits.
    func keepLease() {
        let interval = Lease.renewal(of: lease.length).duration
        Task { [weak self] in
            while true {
                do { try await Task.sleep(for: interval) } catch { return }
                guard let journal = self, !journal.isClosed else { return }
                // A journal that cannot be read or written now is reported by the next write, and by readiness.
                do throws(JournalError) { try await journal.renewLease() } catch { continue }
            }
        }
    }

    /// Renews the lease, and fences processes that were silent for longer than theirs.
    func renewLease() async throws(JournalError) {
        try await confirmLease()
        guard lease.isFresh else { return }
        let silent = lease.silentOthers()
        guard !silent.isEmpty else { return }
        let now = clock.now()
        let fenced = try await writeAlone { [number = lease.number] db in
            var fenced: [(Int64, String)] = []
            for other in silent {
                try db.execute(
                    sql: """
                        UPDATE process SET fenced_at = ?, fenced_by = ? WHERE owner = ? AND fenced_at IS NULL
                        """, arguments: [now.milliseconds, number, other])
                let description = try String.fetchOne(
                    db, sql: "SELECT description FROM process WHERE owner = ?", arguments: [other])
                fenced.append((other, description ?? "unknown"))
            }
            return fenced
        }
        for (other, description) in fenced { _ = lease.takeOver(other, description: description) }
    }

    private func confirmLease() async throws(JournalError) {
        let lease = lease
        try await lease.renew { () async throws(JournalError) -> Bool in
            try await read { db in try SQLiteJournal.isFenced(lease.number, db) }
        }
    }

    /// `true` if another process has taken over what that one held.
    static func isFenced(_ number: Int64, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: SQLiteWriter.selectFence.description)
        return try Int64.fetchOne(statement, arguments: [number]) != nil
    }
}
