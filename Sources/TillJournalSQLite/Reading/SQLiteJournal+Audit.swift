import GRDB
import TillCore
public import TillJournal

extension SQLiteJournal {
    /// Returns entries in the order of the query.
    public func auditEntries(_ query: AuditQuery) async throws(JournalError) -> AuditPage {
        try await read { db in
            var page = AuditPage()
            var read = 0
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT sequence, CAST(body AS BLOB), link FROM audit WHERE sequence > ? AND sequence < ?
                    ORDER BY sequence \(query.before == nil ? "ASC" : "DESC")
                    """,
                arguments: [query.after, query.before ?? Int64.max])
            while let row = try rows.next() {
                let sequence: Int64 = row[0]
                guard try page.add(sequence: sequence, body: row.octets(1), link: row.octets(2), query) else { break }
                read += 1
                guard read < AuditLimits.maximumRead else {
                    page.stop(behind: sequence)
                    break
                }
            }
            return page
        }
    }

    public func auditStanding() async throws(JournalError) -> AuditStanding {
        try await read { try SQLiteJournal.auditStanding($0) }
    }

    static func auditStanding(_ db: Database) throws -> AuditStanding {
        guard let row = try Row.fetchOne(db, sql: "SELECT base, base_link, sequence, head FROM audit_log WHERE id = 1")
        else { throw JournalError.corrupted("the row that says where its audit log ends is missing") }
        return AuditStanding(
            base: ChainHead(sequence: row[0], hash: row.octets(1)),
            head: ChainHead(sequence: row[2], hash: row.octets(3)))
    }

    /// Verifies the whole log.
    /// - Parameter known: a head that was recorded earlier and must still be in it.
    static func walkAudit(_ db: Database, known: ChainHead?) throws -> AuditPass {
        let standing = try auditStanding(db)
        var pass = AuditPass(base: standing.base, known: known)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT sequence, CAST(body AS BLOB), link FROM audit ORDER BY sequence")
        while let row = try rows.next() {
            pass.check(sequence: row[0], body: row.octets(1), link: row.octets(2))
        }
        pass.finish(stated: standing.head)
        return pass
    }
}
