import TillCore
public import TillJournal

extension PostgresJournal {
    /// Returns the live counters on the journal, oldest first.
    public func nodes() async throws(JournalError) -> [JournalNode] {
        let owner = lease.owner
        let rows = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                SELECT counter.owner, description, started_at, lease_until - till_clock()
                FROM counter_live JOIN counter ON counter.owner = counter_live.owner ORDER BY counter.owner
                """)
        }
        return rows.map { row in
            JournalNode(
                number: row.int(0), description: row.text(1), startedAt: Timestamp(milliseconds: row.int(2)),
                lease: .milliseconds(row.int(3)), isThis: row.int(0) == owner)
        }
    }
}
