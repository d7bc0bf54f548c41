import Foundation
import GRDB
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

/// The tables and indexes that a commit writes. In a journal of few sales each of them is one page, so that the pages
/// in the log are their names.
@Suite("What a commit writes")
struct CommitPagesTests {
    private let site = Site(.sqlite)

    @Test("A sale and its attempt write no page that nobody needs")
    func pages() async throws {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        var first = try Sale(1)
        first.begin()
        try await journal.write(first.write(due: first.payment.nextDue, holder: .thisProcess))
        var sale = try Sale(2)
        let created = try await written { try await journal.write(sale.write()) }
        #expect(
            created == [
                "event", "event_account", "journal", "payment", "payment_account", "payment_account_status",
                "payment_live", "sqlite_autoindex_event_1",
            ])
        sale.begin()
        let begun = try await written {
            try await journal.write(sale.write(due: sale.payment.nextDue, holder: .thisProcess))
        }
        #expect(
            begun == [
                "event", "event_account", "journal", "outbox", "outbox_owner", "payment", "payment_account_status",
                "sqlite_autoindex_event_1",
            ])
        // Neither when it is due nor who works on it changes.
        sale.add(.attemptPrepared(sale.attempt, ProviderReference(rawValue: "sb_2")))
        let prepared = try await written {
            try await journal.write(sale.write(due: sale.payment.nextDue, holder: .thisProcess))
        }
        #expect(prepared == ["event", "event_account", "journal", "payment", "sqlite_autoindex_event_1"])
        #expect(try await journal.verify().problems == [])
        try await journal.close()
    }

    @Test("The making of a new journal leaves no log that is larger than its file")
    func making() async throws {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        let file = try Data(contentsOf: URL(fileURLWithPath: site.path)).count
        let log = try Data(contentsOf: URL(fileURLWithPath: site.path + "-wal")).count
        #expect(log < file)
        try await journal.close()
    }

    @Test("A write without an event changes the totals, and leaves the head of the chain")
    func totalsAlone() async throws {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        var sale = try Sale(1)
        sale.pay()
        try await journal.write(sale.write(due: Sale.start))
        let head = try await journal.verify().head
        #expect(head?.sequence == 5)
        #expect(try await journal.metrics(at: site.clock.now()).pending == 1)
        try await journal.write(sale.write())
        #expect(try await journal.metrics(at: site.clock.now()).pending == 0)
        let report = try await journal.verify()
        #expect(report.head == head)
        #expect(report.problems == [])
        try await journal.close()
    }

    @Test("A record that is changed and keeps its fields writes no page of their index")
    func fields() async throws {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        var record = TillJournal.Record(RecordID("note", "1"), body: [1], fields: ["state": "open", "by": "\u{E9}"])
        try await journal.change([.insert(record)])
        record.body = [2]
        let kept = try await written { try await journal.change([.update(record, from: 1)]) }
        #expect(kept == ["record"])
        record.fields["state"] = "closed"
        let moved = try await written { try await journal.change([.update(record, from: 2)]) }
        #expect(moved == ["record", "record_field", "record_field_record"])
        // The same text in other bytes is another value.
        record.fields["by"] = "e\u{301}"
        let again = try await written { try await journal.change([.update(record, from: 3)]) }
        #expect(again == ["record", "record_field", "record_field_record"])
        #expect(try await journal.count("note", matching: RecordMatch("by", "e\u{301}")) == 1)
        #expect(try await journal.count("note", matching: RecordMatch("by", "\u{E9}")) == 0)
        // And the same name is another field.
        record.fields = ["\u{E9}": "1"]
        try await journal.change([.update(record, from: 4)])
        record.fields = ["e\u{301}": "1"]
        try await journal.change([.update(record, from: 5)])
        #expect(try await journal.count("note", matching: RecordMatch("e\u{301}", "1")) == 1)
        try await journal.close()
    }

    @Test("An event without a position is refused, and one with it goes on")
    func positions() async throws {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        var sale = try Sale(1)
        try await journal.write(sale.write())
        await #expect(throws: DatabaseError.self) {
            try await DatabaseQueue(path: site.path).write { db in
                try db.execute(
                    sql: """
                        INSERT INTO event(payment, version, account, name, at, body)
                        SELECT payment, 2, account, name, at, body FROM event
                        """)
            }
        }
        sale.begin()
        try await journal.write(sale.write(due: sale.payment.nextDue, holder: .thisProcess))
        #expect(try await journal.verify().problems == [])
        #expect(try await journal.verify().events == 2)
        try await journal.close()
    }

    /// The names of the tables and indexes whose pages the commits of a write added to the log.
    private func written(by write: () async throws -> Void) async throws -> Set<String> {
        let log = URL(fileURLWithPath: site.path + "-wal")
        let before = try Data(contentsOf: log).count
        try await write()
        let bytes = [UInt8](try Data(contentsOf: log))
        let number = { (place: Int) -> Int in bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        let pageSize = number(8)
        let pages = stride(from: before, to: bytes.count, by: 24 + pageSize).map { number($0) }
        let names = try await DatabaseQueue(path: site.path).read { db in
            let roots = try Row.fetchAll(db, sql: "SELECT rootpage, name FROM sqlite_schema WHERE rootpage > 0")
            return Dictionary(roots.map { ($0[0] as Int, $0[1] as String) }) { first, _ in first }
        }
        return Set(pages.map { names[$0] ?? "page \($0)" })
    }
}
