import Foundation
import GRDB
import Synchronization
import Testing
import TillCore
import TillPostgres
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

@Suite("What a journal forgets under a wrong clock")
struct WrongClockTests {
    /// The machine's clock, which somebody sets, and one that nobody sets.
    private let wall = ManualClock(Sale.start)
    private let clock: WitnessedClock
    private let path: String
    private let storage = MemoryJournal.Storage()
    private let database = Site(.postgres)

    init() {
        // Monotonic time stands still here: whatever the wall clock does is a jump.
        clock = WitnessedClock(wall, monotonic: { .milliseconds(0) })
        clock.compare(floor: Sale.start, proved: Sale.start, hasWitnesses: false)
        path = FileManager.default.temporaryDirectory.path + "/till-clock-\(UUID().uuidString)/journal.sqlite"
    }

    private func open(_ kind: Site.Kind) throws -> any Journal & RecordStore {
        switch kind {
        case .sqlite: try SQLiteJournal.open(at: path, clock: clock)
        case .memory: MemoryJournal(storage: storage, clock: clock)
        case .postgres: try PostgresJournal.open(at: database.address(), files: path, clock: clock)
        }
    }

    private func record(_ status: Int) -> IdempotencyRecord {
        IdempotencyRecord(
            scope: IdempotencyScope(account: .main, operation: "refund", key: "k"), fingerprint: [1], request: [],
            createdAt: clock.now(), state: .finished(status: status, body: [1], payment: nil))
    }

    /// A write that makes the journal clean up, as any does.
    private func touch(_ journal: any Journal & RecordStore) async throws {
        try await journal.change([.insertIfAbsent(Record(RecordID("touch", "1"), body: []))])
    }

    @Test("31 days ahead no key, no webhook and no record is forgotten", arguments: Site.Kind.allCases)
    func ahead(_ kind: Site.Kind) async throws {
        let journal = try open(kind)
        let webhook = WebhookReceipt(provider: .sandbox, id: "evt", at: clock.now())
        try await journal.write(JournalWrite(idempotency: record(200), webhook: webhook))
        let note = Record(RecordID("note", "1"), body: [], due: clock.now().adding(.days(1)))
        try await journal.change([.insert(note)])
        wall.advance(by: .days(31))
        #expect(clock.standing == .doubted(.jumped(by: .days(31))))
        try await touch(journal)
        try await journal.change([.forget("note", dueBy: wall.now())])
        #expect(try await journal.idempotency(record(200).scope)?.isFinished == true)
        #expect(try await journal.record(note.id) != nil)
        await #expect(throws: JournalError.webhookSeen) { try await journal.write(JournalWrite(webhook: webhook)) }
        var again = record(200)
        again.state = .inFlight(payment: nil, operation: nil)
        await #expect(throws: JournalError.self) { try await journal.write(JournalWrite(idempotency: again)) }
        // The clock is confirmed: a month has passed after all.
        clock.confirm()
        #expect(try await journal.idempotency(record(200).scope) == nil)
        try await journal.change([.forget("note", dueBy: wall.now())])
        #expect(try await journal.record(note.id) == nil)
    }

    @Test("what a doubt has kept is removed when it ends, and a pass planned by a wrong clock is not waited for")
    func purgeGoesOn() async throws {
        let journal = try SQLiteJournal.open(at: path, clock: clock)
        func rows() async throws -> Int {
            try await journal.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM idempotency") ?? 0 }
        }
        try await journal.write(JournalWrite(idempotency: record(200)))
        wall.advance(by: .days(300))
        try await touch(journal)
        #expect(try await rows() == 1)
        // Somebody confirms the wrong clock for a moment, in which a pass is planned, and sets it right.
        clock.confirm()
        try await touch(journal)
        #expect(try await rows() == 0)
        try await journal.write(JournalWrite(idempotency: record(201)))
        wall.advance(by: .days(-300))
        clock.confirm()
        var old = record(202)
        old.scope.key = "old"
        old.createdAt = clock.now().adding(.days(-31))
        try await journal.write(JournalWrite(idempotency: old))
        wall.advance(by: .minutes(2))
        try await touch(journal)
        #expect(try await rows() == 1)
        try await journal.close()
    }

    @Test(
        "the newest entry is the one that was written last, and planned work comes in its order",
        arguments: Site.Kind.allCases)
    func newest(_ kind: Site.Kind) async throws {
        let journal = try open(kind)
        #expect(try await journal.newestMoment() == nil)
        var sales: [Sale] = []
        for (number, days) in [(1, 9), (2, 3), (3, 3), (4, 1)] {
            var sale = try Sale(number)
            try await journal.write(sale.write(due: Sale.start.adding(.days(Int64(days)))))
            sales.append(sale)
        }
        #expect(try await journal.newestMoment() == sales[3].events.last?.at)
        let first = try await journal.planned(after: .later(than: Sale.start.adding(.days(2))), limit: 2)
        #expect(first.map(\.payment) == [sales[1].payment.id, sales[2].payment.id])
        let rest = try await journal.planned(after: try #require(first.last), limit: 2)
        #expect(rest.map(\.payment) == [sales[0].payment.id])
    }
}
