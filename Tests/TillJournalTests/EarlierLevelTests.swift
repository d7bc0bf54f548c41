import Foundation
import GRDB
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

/// A journal of level 3: its totals are in a table of their own, its index by order has every payment, and SQLite
/// counts its events.
@Suite("A journal of level 3")
struct EarlierLevelTests {
    /// The steps from it to level 4.
    private static let steps = [
        "events without a count of SQLite's own", "orders of ended payments", "totals beside the head",
    ]

    private let site = Site(.sqlite)
    private var path: String { site.folder + "/earlier.sqlite" }

    /// Makes the file: its tables are those of its own migrations, its rows are written by a journal of now.
    private func earlier() async throws -> ChainHead {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        var (canceled, paid, open) = (try Sale(1, order: "same"), try Sale(2, order: "same"), try Sale(3))
        try await journal.write(canceled.write())
        canceled.add(.canceled)
        try await journal.write(canceled.write())
        paid.pay()
        try await journal.write(paid.write())
        open.begin()
        try await journal.write(open.write(due: open.payment.nextDue))
        let head = try await journal.head().head
        try await journal.close()
        let (file, filled) = (try DatabaseQueue(path: path), site.path)
        try SQLiteSchema.migrator.migrate(file, upTo: "sales by staff and shop")
        try await file.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS filled", arguments: [filled])
            try db.execute(
                sql: """
                    INSERT INTO main.event SELECT * FROM filled.event;
                    INSERT INTO main.payment SELECT * FROM filled.payment;
                    INSERT INTO main.outbox SELECT * FROM filled.outbox;
                    INSERT INTO main.process SELECT * FROM filled.process;
                    UPDATE main.journal SET (start, epoch, sequence, head, chained) =
                      (SELECT start, epoch, sequence, head, chained FROM filled.journal);
                    INSERT INTO main.tally(name, count)
                      SELECT 'payment ' || status, count(*) FROM main.payment GROUP BY status;
                    UPDATE main.tally SET count = (SELECT count(*) FROM main.outbox) WHERE name = 'outbox';
                    """)
            try db.execute(sql: "DETACH filled")
        }
        try file.close()
        return head
    }

    /// Opens the file and checks that nothing is lost, and that it goes on.
    private func check(_ head: ChainHead) async throws {
        let journal = try SQLiteJournal.open(at: path, clock: site.clock)
        let report = try await journal.verify(known: head)
        #expect(report.problems == [] && report.payments == 3)
        let metrics = try await journal.metrics(at: site.clock.now())
        let counted = metrics.payments.filter { $0.value > 0 }
        #expect(counted == [.canceled: 1, .succeeded: 1, .processing: 1] && metrics.pending == 1)
        let order = OrderID(rawValue: "same")
        let listed = try await journal.payments(PaymentFilter(account: .main, order: order))
        #expect(listed.map(\.id.rawValue) == ["pay_100002", "pay_100001"])
        var (another, next) = (try Sale(4, order: "same"), try Sale(5))
        let write = another.write()
        await #expect(throws: JournalError.orderOccupied(by: PaymentID(rawValue: "pay_100002"))) {
            try await journal.write(write)
        }
        try await journal.write(next.write())
        #expect(try await journal.head().head.sequence == head.sequence + 1)
        #expect(try await journal.verify().problems == [])
        try await journal.close()
        #expect(try SQLiteJournal.level(at: path).isCurrent)
    }

    @Test("has everything at the next one")
    func whole() async throws {
        let head = try await earlier()
        let level = try SQLiteJournal.level(at: path)
        #expect(level.found == 3 && level.missing.starts(with: Self.steps))
        try await check(head)
    }

    @Test("goes on after a death between two steps", arguments: [0, 1])
    func interrupted(_ last: Int) async throws {
        let head = try await earlier()
        let file = try DatabaseQueue(path: path)
        try SQLiteSchema.migrator.migrate(file, upTo: Self.steps[last])
        try file.close()
        let level = try SQLiteJournal.level(at: path)
        #expect(level.found == 3 && level.missing.starts(with: Self.steps.dropFirst(last + 1)))
        try await check(head)
    }

    @Test("is left as it is while a process of before has it open")
    func inUse() async throws {
        let head = try await earlier()
        let owners = try OwnerFile.open(path + "-owners")
        try owners.take(1)
        #expect {
            try SQLiteJournal.open(at: path)
        } throws: { error in
            if case .unavailable(let text)? = error as? JournalError { text.contains("earlier version") } else { false }
        }
        let level = try SQLiteJournal.level(at: path)
        #expect(level.found == 3 && level.missing.starts(with: Self.steps))
        owners.release(1)
        try await check(head)
    }

    @Test("is restored from, and stays as it is")
    func restored() async throws {
        let head = try await earlier()
        let target = site.folder + "/restored.sqlite"
        let report = try await SQLiteJournal.restore(path, to: target, known: head, clock: site.clock)
        #expect(report.payments == 3)
        #expect(try SQLiteJournal.level(at: path).found == 3)
        #expect(try SQLiteJournal.level(at: target).isCurrent)
        let journal = try SQLiteJournal.open(at: target, clock: site.clock)
        #expect(try await journal.verify(known: head).problems == [])
        try await journal.close()
    }
}
