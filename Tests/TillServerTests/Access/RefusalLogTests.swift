import Logging
import Testing
import TillCore
import TillJournal

@testable import TillServer

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
}
