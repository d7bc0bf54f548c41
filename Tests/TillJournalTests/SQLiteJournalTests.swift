import Dispatch
import Foundation
import GRDB
import Synchronization
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

@Suite("The journal on disk")
struct SQLiteJournalTests {
    @Test("only the owner can read it")
    func modes() async throws {
        let site = Site(.sqlite)
        let journal = try site.open()
        var sale = try Sale(1)
        try await journal.write(sale.write())
        let mode = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(site.folder) == 0o700)
        for suffix in ["", "-wal", "-shm", "-owners"] { #expect(try mode(site.path + suffix) == 0o600) }
    }

    @Test("what was acknowledged is there after the machine stops")
    func crash() async throws {
        let site = Site(.sqlite)
        let journal = try site.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...300 {
                group.addTask {
                    var sale = try Sale(number)
                    sale.begin()
                    try await journal.write(sale.write(due: sale.payment.nextDue, holder: .thisProcess))
                }
            }
            try await group.waitForAll()
        }
        // What a power cut leaves: the file and its log as they are, no locks.
        let copy = Site(.sqlite)
        try copy.takeFiles(of: site)
        let survivor = try SQLiteJournal.open(at: copy.path, clock: site.clock)
        let report = try await survivor.verify()
        #expect(report.problems == [])
        #expect(report.payments == 300)
        #expect(try await survivor.due(at: Sale.start, limit: 1_000).count == 300)
        #expect(try await journal.due(at: Sale.start, limit: 1_000).isEmpty)
        try await survivor.close()
        try await site.end(journal)
    }

    /// A journal whose writer stops after its first commit until it is told to go on.
    private func held(
        maximumQueuedWrites: Int = JournalLimits.maximumQueuedWrites
    ) async throws -> (journal: SQLiteJournal, goOn: @Sendable () -> Void) {
        let mayGoOn = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        let (stopped, stops) = AsyncStream.makeStream(of: Never.self)
        let journal = try SQLiteJournal.open(at: Site(.sqlite).path, maximumQueuedWrites: maximumQueuedWrites) { _ in
            guard
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return }
            stops.finish()
            mayGoOn.wait()
        }
        Task {
            var sale = try Sale(1)
            try await journal.write(sale.write())
        }
        for await _ in stopped {}
        return (journal, { mayGoOn.signal() })
    }

    @Test("writes that wait together share a commit, with records or without", .timeLimit(.minutes(30)))
    func groupCommit() async throws {
        let (journal, goOn) = try await held()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 2...2_000 {
                group.addTask {
                    var sale = try Sale(number)
                    var write = sale.write()
                    let id = RecordID("note", "\(number)")
                    if number % 2 == 0 { write.records = [.insert(TillJournal.Record(id, body: []))] }
                    try await journal.write(write)
                }
            }
            while journal.statistics.waiting < 1_999 { try await Task.sleep(for: .milliseconds(1)) }
            goOn()
            try await group.waitForAll()
        }
        #expect(journal.statistics.writes == 2_000)
        #expect(journal.statistics.commits == 3)
        #expect(journal.statistics.largestBatch == JournalLimits.maximumBatch)
    }

    @Test("a full queue refuses instead of growing", .timeLimit(.minutes(30)))
    func queueFull() async throws {
        let (journal, goOn) = try await held(maximumQueuedWrites: 10)
        let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 2...501 {
                group.addTask {
                    var sale = try Sale(number)
                    do throws(JournalError) {
                        try await journal.write(sale.write())
                        return false
                    } catch { return error == .queueFull(limit: 10) }
                }
            }
            var refused = 0
            for try await isRefused in group {
                refused += isRefused ? 1 : 0
                // Only refusals end while the writer is held.
                if refused == 490 { goOn() }
            }
            return refused
        }
        #expect(refused == 490)
        #expect(try await journal.verify().payments == 11)
    }

    @Test("one write that SQLite refuses does not take the others with it")
    func isolation() async throws {
        let site = Site(.sqlite)
        let journal = try site.open()
        let outside = try DatabaseQueue(path: site.path)
        try await outside.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER fault BEFORE INSERT ON payment WHEN NEW.order_id = 'order-7'
                    BEGIN SELECT RAISE(ABORT, 'planted'); END
                    """)
        }
        let failures = await withTaskGroup(of: Int?.self) { group in
            for number in 1...50 {
                group.addTask {
                    guard var sale = try? Sale(number) else { return number }
                    do throws(JournalError) {
                        try await journal.write(sale.write())
                        return nil
                    } catch {
                        guard case .unavailable = error else { return -number }
                        return number
                    }
                }
            }
            return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
        }
        #expect(failures == [7])
        #expect(try await site.verify(journal).payments == 49)
    }

    @Test("a backup is whole while writes go on")
    func backup() async throws {
        let site = Site(.sqlite)
        let journal = try #require(try site.open() as? SQLiteJournal)
        let target = site.folder + "/backup.sqlite"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                var sale = try Sale(number)
                sale.pay()
                let write = sale.write()
                group.addTask { try await journal.write(write) }
            }
            group.addTask { try await journal.backup(to: target) }
            try await group.waitForAll()
        }
        await #expect(throws: JournalError.self) { try await journal.backup(to: target) }
        let copy = try SQLiteJournal.open(at: target, clock: site.clock)
        #expect(try await copy.verify().isSound)
    }

    @Test("a newer journal and a foreign file are refused, untouched")
    func foreign() async throws {
        let site = Site(.sqlite)
        let journal = try #require(try site.open() as? SQLiteJournal)
        try await journal.close()
        try await DatabaseQueue(path: site.path).writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = \(SQLiteSchema.version + 1)")
        }
        #expect {
            try site.open()
        } throws: { error in
            if case .corrupted(let text)? = error as? JournalError { text.contains("newer Till") } else { false }
        }
        let other = site.folder + "/other.sqlite"
        try await DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE t(a)") }
        #expect(throws: JournalError.self) { try SQLiteJournal.open(at: other) }
        let text = site.folder + "/text.sqlite"
        try Data(repeating: 65, count: 4_096).write(to: URL(fileURLWithPath: text))
        #expect(throws: JournalError.self) { try SQLiteJournal.open(at: text) }
    }

    @Test("what is too old is removed while others write")
    func purge() async throws {
        let site = Site(.sqlite)
        let journal = try site.open()
        let write = { (number: Int) in
            let record = IdempotencyRecord(
                scope: IdempotencyScope(account: .main, operation: "sale", key: "\(number)"), fingerprint: [1],
                request: [], createdAt: site.clock.now(), state: .finished(status: 200, body: [], payment: nil))
            let receipt = WebhookReceipt(provider: .sandbox, id: "\(number)", at: site.clock.now())
            try await journal.write(JournalWrite(idempotency: record, webhook: receipt))
        }
        for number in 1...3 { try await write(number) }
        site.clock.advance(by: .days(31))
        try await write(4)
        let counts = try await DatabaseQueue(path: site.path).read { db in
            try ["idempotency", "webhook"].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") }
        }
        #expect(counts == [1, 1])
    }

    @Test(
        "each planted fault is found",
        arguments: [
            "UPDATE payment SET captured = captured + 1 WHERE id = 'pay_100001'",
            "UPDATE payment SET live = 0 WHERE id = 'pay_100001'",
            "DELETE FROM event WHERE payment = 'pay_100001' AND version = 2",
            "DELETE FROM event WHERE payment = 'pay_100001'",
            "DELETE FROM payment WHERE id = 'pay_100001'",
            "UPDATE event SET body = '{}' WHERE payment = 'pay_100001' AND version = 3",
            "UPDATE event SET account = 'b' WHERE payment = 'pay_100001' AND version = 3",
            "UPDATE payment SET order_id = 'order-1' WHERE id = 'pay_100002'",
            "INSERT INTO outbox VALUES ('pay_100001', 1, NULL)",
            "DELETE FROM outbox WHERE payment = 'pay_100004'",
            """
            UPDATE event SET body = replace(body, '"amount":1250', '"amount":1251')
            WHERE payment = 'pay_100001' AND name = 'capture.started'
            """,
        ])
    func verification(_ fault: String) async throws {
        let site = Site(.sqlite)
        let journal = try #require(try site.open() as? SQLiteJournal)
        for number in 1...3 {
            var sale = try Sale(number)
            sale.pay()
            if number == 3 { sale.giveBack() }
            try await journal.write(sale.write())
        }
        var pending = try Sale(4)
        pending.begin()
        try await journal.write(pending.write(due: pending.payment.nextDue, holder: .thisProcess))
        let sound = try await journal.verify()
        #expect(sound.problems == [])
        #expect(sound.balances == [.init(currency: .eur, captured: 3_750, refunded: 1_250)])
        try await DatabaseQueue(path: site.path).write { db in
            try db.execute(sql: "DROP INDEX payment_live")
            try db.execute(sql: fault)
        }
        #expect(try await !journal.verify().isSound)
    }
}
