import Foundation
import GRDB
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

/// What the chain was after an event: a report that names it is compared with its journal at any later time.
@Suite("The head of the chain after an event")
struct ChainHeadTests {
    private func sell(_ number: Int, _ journal: any Journal) async throws {
        var sale = try Sale(number)
        sale.pay()
        try await journal.write(sale.write())
    }

    @Test(
        "is the head that a check computes, and stays it while more is written",
        arguments: [Site.Kind.sqlite, .postgres])
    func agrees(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let journal = try site.open()
        let store = try #require(journal as? any CounterStore)
        let start = try await store.verify().head
        #expect(try await journal.chainHead(after: 0) == start && start?.sequence == 0)
        try await sell(1, journal)
        let head = try #require(try await store.verify().head)
        #expect(try await journal.chainHead(after: 5) == head && head.sequence == 5)
        try await sell(2, journal)
        #expect(try await journal.chainHead(after: 5) == head)
        for sequence in Int64(0)...10 {
            let known = try #require(try await journal.chainHead(after: sequence))
            #expect(known.sequence == sequence)
            #expect(try await store.verify(known: known).problems == [])
        }
        #expect(try await journal.chainHead(after: 10) == store.verify().head)
        #expect(try await journal.chainHead(after: 11) == nil)
        #expect(try await journal.chainHead(after: .max) == nil)
        try await site.end(journal)
    }

    @Test("is there in no journal without a chain")
    func memory() async throws {
        let journal = try Site(.memory).open()
        try await sell(1, journal)
        #expect(try await journal.chainHead(after: 5) == nil)
    }

    @Test("is none where the link of the event, or the journal's start, is no digest")
    func noDigest() async throws {
        let site = Site(.sqlite)
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        try await sell(1, journal)
        let file = try DatabaseQueue(path: site.path)
        try await file.write { db in
            try db.execute(sql: "UPDATE journal SET start = x'00'; UPDATE event SET link = x'00' WHERE sequence = 3")
        }
        for sequence in [Int64(0), 3] { #expect(try await journal.chainHead(after: sequence) == nil) }
        #expect(try await journal.chainHead(after: 4)?.sequence == 4)
        try await journal.close()
    }

    @Test("is another after an earlier event was changed, also where the whole chain was computed anew")
    func rewritten() async throws {
        let site = Site(.sqlite)
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        try await sell(1, journal)
        let head = try #require(try await journal.chainHead(after: 5))
        try await sell(2, journal)
        let file = try DatabaseQueue(path: site.path)
        try await file.write { try $0.execute(sql: "UPDATE event SET at = at + 1 WHERE sequence = 2") }
        #expect(try await !journal.verify(known: head).isSound)
        try await file.write { db in
            var link = try Row.fetchOne(db, sql: "SELECT start FROM journal WHERE id = 1")?.octets(0) ?? []
            for row in try Row.fetchAll(db, sql: "SELECT \(EventLink.columns) FROM event ORDER BY sequence") {
                let event = EventLink(row)
                link = event.hash(after: link)
                try db.execute(
                    sql: "UPDATE event SET link = ? WHERE sequence = ?", arguments: [Data(link), event.sequence])
            }
            try db.execute(sql: "UPDATE journal SET head = ? WHERE id = 1", arguments: [Data(link)])
        }
        #expect(try await journal.verify().isSound, "a chain alone cannot know that it was computed anew")
        #expect(try await journal.chainHead(after: 5) != head)
        #expect(
            try await journal.verify(known: head).problems == [
                "the journal is not the one of the known head: event 5 or one before it is another"
            ])
        try await journal.close()
    }
}
