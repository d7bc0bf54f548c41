import GRDB
import TillCore
public import TillJournal

extension SQLiteJournal {
    /// Returns the processes that have the file open, oldest first.
    public func nodes() async throws(JournalError) -> [JournalNode] {
        let (lease, own) = (lease, ownNumber)
        return try await read { db in
            let statement = try db.cachedStatement(sql: "SELECT description, started_at FROM process WHERE owner = ?")
            return try lease.living().compactMap { number, length in
                try Row.fetchOne(statement, arguments: [number]).map { row in
                    JournalNode(
                        number: number, description: row[0], startedAt: Timestamp(milliseconds: row[1]), lease: length,
                        isThis: number == own)
                }
            }
        }
    }
}
