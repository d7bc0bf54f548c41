import Testing
import TillCore
import TillPostgres
import TillTestSupport

@testable import TillJournal
@testable import TillJournalSQLite

@Suite("Who sees to what waits for a person") struct AssignmentTests {
    private let entry = Assignment.Subject.entry(PaymentID(rawValue: "pay_1"), number: 2)

    private func store(_ kind: Site.Kind) throws -> (any Journal & RecordStore & AuditLog, ManualClock) {
        switch kind {
        case .sqlite:
            let site = Site(.sqlite)
            return (try SQLiteJournal.open(at: site.path, clock: site.clock), site.clock)
        case .memory:
            let clock = ManualClock(Sale.start)
            return (MemoryJournal(clock: clock), clock)
        case .postgres:
            let site = Site(.postgres)
            return (try PostgresJournal.open(at: site.address(), files: site.path, clock: site.clock), site.clock)
        }
    }

    @Test(
        "the last word counts, each change is in the audit log, and card numbers are in neither",
        arguments: Site.Kind.allCases)
    func assigned(_ kind: Site.Kind) async throws {
        let (store, clock) = try store(kind)
        let assignments = Assignments(store, clock: clock)
        #expect(try await assignments.assignment(of: entry) == nil)
        #expect(try await assignments.assign(entry, to: nil, account: .main) == nil)
        #expect(try await assignments.assign(entry, to: "Ada", account: .main)?.name == "Ada")
        #expect(try await assignments.assign(entry, to: "Ada", account: .main)?.name == "Ada")
        _ = try await assignments.assign(entry, to: "Bea 4242 4242 4242 4242", account: .main)
        #expect(try await assignments.assignment(of: entry)?.name.contains("4242 4242") == false)
        _ = try await assignments.assign(.incident("i"), to: "Cem", account: .main)
        #expect(try await assignments.assign(entry, to: nil, account: .main) == nil)
        #expect(try await assignments.assignment(of: .incident("i"))?.name == "Cem")
        let page = try await store.auditEntries(AuditQuery())
        let noted = page.entries.filter { $0.note.action == .attentionAssigned }.map(\.note.changes)
        #expect(noted.count == 4 && noted[0] == [AuditChange("assignee", to: "Ada")])
        #expect(noted[1].first?.before == "Ada" && noted[3].first?.after == nil)
    }

    @Test("of any number who assign it at once one is the last") func race() async throws {
        let (store, clock) = try store(.sqlite)
        let assignments = Assignments(store, clock: clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { _ = try await assignments.assign(entry, to: "P\(number)", account: .main) }
            }
            try await group.waitForAll()
        }
        let last = try await store.auditEntries(AuditQuery()).entries.compactMap(\.note.changes.first?.after).last
        #expect(try await assignments.assignment(of: entry)?.name == last)
    }

    @Test("one that is three months old is forgotten when the next is made") func forgotten() async throws {
        let (store, clock) = try store(.memory)
        let assignments = Assignments(store, clock: clock)
        _ = try await assignments.assign(entry, to: "Ada", account: .main)
        clock.advance(by: Assignment.lifetime)
        _ = try await assignments.assign(.incident("i"), to: "Bea", account: .main)
        #expect(try await assignments.assignment(of: entry) == nil)
    }
}
