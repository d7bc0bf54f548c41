import Testing
import TillCore
import TillTestSupport

@testable import TillJournal
@testable import TillJournalSQLite

/// A statement is found by where its literal is in the program.
@Suite("The statements of literals")
struct LiteralStatementTests {
    @Test("A literal's statement is prepared once, and no other literal gets it")
    func own() async throws {
        let site = Site(.sqlite)
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock, renewsLease: false)
        let connection = try SQLiteConnection(site.path, readOnly: true, pragmas: [])
        // Some begin or end as another does: a linker may put those into one place.
        let literals: [(sql: StaticString, value: Int64)] = [
            ("SELECT 12", 12), ("SELECT 1", 1), ("SELECT 7 UNION ALL SELECT 12", 7), ("SELECT 123", 123),
        ]
        for _ in 1...2 {
            for (sql, value) in literals {
                let statement = try connection.statement(literal: sql)
                let read = try statement.first { $0.int(0) }
                let again = try connection.statement(literal: sql)
                #expect(read == value)
                #expect(again === statement)
            }
        }
        try await journal.close()
    }
}
