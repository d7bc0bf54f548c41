import Logging
import Testing
import TillCore
@testable import TillCounter
import TillJournal

@testable import TillServer
@testable import TillWeb

@Suite("Refusals in the audit log")
struct RefusalLogTests {
    @Test("A refused sign-in is told from a request that was refused, by its address alone")
    func actions() async throws {
        let journal = MemoryJournal(storage: MemoryJournal.Storage())
        let refusals = RefusalLog(journal, logger: Logger(label: "test"))
        let signIns = ["/session", "/session/person", "/session/own/{id}"]
        let requests = ["/v1/sessions", "/v1/sessions/{id}", "/shop/session", "/sessions", "unknown"]
        for route in signIns + requests { refusals.count(.unauthorized, route: route, client: "127.0.0.1") }
        await refusals.write(now: true)
        let entries = try await journal.auditEntries(AuditQuery()).entries
        let found = Dictionary(grouping: entries, by: \.note.action).mapValues { Set($0.compactMap(\.note.subject)) }
        #expect(found == [.signInRefused: Set(signIns), .accessRefused: Set(requests)])
    }

    @Test("Who is known has a line of their own, however many strangers and places there are")
    func named() async throws {
        let journal = MemoryJournal(storage: MemoryJournal.Storage())
        let refusals = RefusalLog(journal, logger: Logger(label: "test"))
        for number in 0..<3 * RefusalLog.maximumKinds {
            refusals.count(.unauthorized, route: "/v1/\(number)", client: "10.0.0.1")
        }
        let problem = Problem.unauthorized.claimed(by: .owner)
        for number in 0..<2 * RefusalLog.maximumNamedKinds {
            refusals.count(problem, route: "/v1/\(number)", client: "10.0.0.2")
        }
        await refusals.write(now: true)
        let entries = try await journal.auditEntries(AuditQuery(limit: AuditLimits.maximumPage)).entries
        let owner = entries.filter { $0.note.by.actor == .owner }
        #expect(owner.count == RefusalLog.maximumNamedKinds + 1)
        #expect(owner.reduce(0) { $0 + $1.note.count } == 2 * RefusalLog.maximumNamedKinds)
    }
}
