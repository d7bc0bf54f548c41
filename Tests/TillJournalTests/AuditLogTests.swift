import Foundation
import GRDB
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

/// Who did what: added at the end, in the commit of what it is about, and tied to the entry before it.
@Suite("The audit log")
struct AuditLogTests {
    private let site = Site(.sqlite)

    private static func note(_ subject: String) -> AuditNote {
        AuditNote(
            .keyCreated, by: Attribution(.operatingSystemUser(uid: 0, name: "root"), request: "req_1"), account: .main,
            subject: subject, changes: [AuditChange("label", from: nil, to: "4242 4242 4242 4242")])
    }

    private func fiveEntries() async throws -> SQLiteJournal {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        for number in 1...5 { try await journal.note([Self.note("key_\(number)")]) }
        return journal
    }

    private func tamper(_ sql: String) async throws {
        try await DatabaseQueue(path: site.path).write { try $0.execute(sql: sql) }
    }

    @Test("gives back what was noted, in its order, and page by page", arguments: Site.Kind.allCases)
    func readsBack(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let journal = try site.open()
        for number in 1...5 { try await journal.note([Self.note("key_\(number)")]) }
        let log = try #require(journal as? any AuditLog)
        var query = AuditQuery(limit: 2)
        var found: [AuditEntry] = []
        while true {
            let page = try await log.auditEntries(query)
            found += page.entries
            guard let next = page.next else { break }
            query.after = next
        }
        #expect(found.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(found.map(\.note.subject) == (1...5).map { "key_\($0)" })
        #expect(found.allSatisfy { $0.note.by == Self.note("").by && $0.at == site.clock.now() })
        #expect(found.first?.note.changes.first?.after == CardNumberMask.masked("4242 4242 4242 4242"))
        #expect(try await log.auditEntries(AuditQuery(actor: "root")).entries.count == 5)
        #expect(try await log.auditEntries(AuditQuery(actor: "ada")).entries.isEmpty)
        #expect(try await log.auditEntries(AuditQuery(since: site.clock.now().adding(.seconds(1)))).entries.isEmpty)
        #expect(try await log.auditStanding().head == found.last?.head)
        #expect(try await site.verify(journal).problems == [])
        try await site.end(journal)
    }

    @Test("gives back the newest first, page by page", arguments: Site.Kind.allCases)
    func readsBackNewestFirst(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let journal = try site.open()
        for number in 1...5 { try await journal.note([Self.note("key_\(number)")]) }
        let log = try #require(journal as? any AuditLog)
        var query = AuditQuery(before: Int64.max, limit: 2)
        var pages: [[Int64]] = []
        while true {
            let page = try await log.auditEntries(query)
            pages.append(page.entries.map(\.sequence))
            guard let next = page.next else { break }
            query.before = next
        }
        #expect(pages == [[5, 4], [3, 2], [1]])
        let between = try await log.auditEntries(AuditQuery(after: 1, before: 4))
        #expect(between.entries.map(\.sequence) == [3, 2] && between.next == nil)
        #expect(try await log.auditEntries(AuditQuery(before: 1)).entries.isEmpty)
        #expect(try await log.auditEntries(AuditQuery(before: Int64.max, actor: "root", limit: 1)).next == 5)
        #expect(try await log.auditEntries(AuditQuery(before: Int64.max, actor: "ada")).entries.isEmpty)
        try await site.end(journal)
    }

    @Test("is read no further back for an actor who is not in it than one page may cost")
    func readsNoFurther() async throws {
        let journal = try await fiveEntries()
        try await tamper(
            """
            WITH RECURSIVE places(place) AS (
              SELECT 6 UNION ALL SELECT place + 1 FROM places WHERE place < \(AuditLimits.maximumRead + 10))
            INSERT INTO audit(sequence, at, body, link)
            SELECT place, at, '{"sequence":' || place || substr(body, 14), link FROM places, audit WHERE sequence = 5
            """)
        let page = try await journal.auditEntries(AuditQuery(before: Int64.max, actor: "ada"))
        #expect(page.entries.isEmpty && page.next == 11)
        #expect(try await journal.auditEntries(AuditQuery(before: 11, actor: "ada")).next == nil)
        try await journal.close()
    }

    @Test("names what cannot be read where it is asked to, in its place, and fails at it where it is not")
    func unreadable() async throws {
        let journal = try await fiveEntries()
        // No JSON, no entry, and one of another place.
        try await tamper(
            """
            UPDATE audit SET body = '{"broken":' WHERE sequence = 4;
            UPDATE audit SET body = '{"sequence":3}' WHERE sequence = 3;
            UPDATE audit SET body = replace(body, '"sequence":1,', '"sequence":9,') WHERE sequence = 1
            """)
        await #expect(throws: JournalError.self) { try await journal.auditEntries(AuditQuery()) }
        let all = try await journal.auditEntries(AuditQuery(namesUnreadable: true))
        #expect(all.entries.map(\.sequence) == [2, 5] && all.unreadable == [1, 3, 4] && all.next == nil)
        // Nobody knows of whom it is, or of when.
        let filtered = AuditQuery(since: site.clock.now().adding(.seconds(1)), actor: "ada", namesUnreadable: true)
        let others = try await journal.auditEntries(filtered)
        #expect(others.entries.isEmpty && others.unreadable == [1, 3, 4])
        // Page by page each of them once, newest first.
        var query = AuditQuery(before: Int64.max, limit: 2, namesUnreadable: true)
        var pages: [[Int64]] = []
        while true {
            let page = try await journal.auditEntries(query)
            pages.append(page.entries.map(\.sequence) + page.unreadable)
            guard let next = page.next else { break }
            query.before = next
        }
        #expect(pages == [[5, 4], [2, 3], [1]])
        #expect(try await journal.verify().problems.count >= 3)
        try await journal.close()
    }

    @Test(
        "takes no entry that has a member of another kind",
        arguments: [
            #""account":7"#, #""subject":7"#, #""reason":{}"#, #""changes":5"#, #""changes":null"#,
            #""changes":[null]"#, #""changes":[{"before":null,"after":"x"}]"#,
            #""changes":[{"name":"label","before":1,"after":"x"}]"#,
            #""changes":[{"name":"label","before":null,"after":[]}]"#,
        ])
    func otherKinds(_ member: String) throws {
        func entry(_ member: String) throws -> AuditEntry {
            let members = #""at":"2026-11-21T09:30:00.000Z","action":"key.created","outcome":"done""#
            let body = #"{"sequence":1,\#(members),"by":{"kind":"owner"},\#(member)}"#
            return try AuditEntry(sequence: 1, body: Array(body.utf8), link: [])
        }
        let change = AuditChange("label", to: "x")
        #expect(try entry(#""changes":[{"name":"label","before":null,"after":"x"}]"#).note.changes == [change])
        #expect(try entry(#""subject":"key_1""#).note.subject == "key_1")
        #expect(throws: JournalError.self) { try entry(member) }
    }

    @Test("has an entry exactly if what it is about was written", arguments: Site.Kind.allCases)
    func oneCommit(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let journal = try site.open()
        let store = try #require(journal as? any RecordStore & AuditLog)
        let record = TillJournal.Record(RecordID("thing", "a"), body: [])
        try await store.change([.insert(record)], noting: [Self.note("first")])
        await #expect(throws: JournalError.self) {
            try await store.change([.insert(record)], noting: [Self.note("second")])
        }
        #expect(try await store.auditEntries(AuditQuery()).entries.map(\.note.subject) == ["first"])
        try await site.end(journal)
    }

    @Test(
        "names what another hand has done",
        arguments: [
            (
                "UPDATE audit SET body = replace(body, 'root', 'toor') WHERE sequence = 2",
                "the entry 2 of the audit log is not what was written, or not in its place"
            ),
            ("DELETE FROM audit WHERE sequence = 3", "the entry 3 of the audit log is missing"),
            (
                "DELETE FROM audit WHERE sequence > 3",
                "the audit log ends at entry 3, and entry 5 was written: its end was cut off"
            ),
            (
                "UPDATE audit_log SET head = zeroblob(32)",
                "the audit log's own head is not that of its last entry, 5"
            ),
            (
                "UPDATE audit_log SET base = 1, base_link = zeroblob(32)",
                "the entry 1 of the audit log is not in its place"
            ),
        ])
    func tampering(_ sql: String, _ finding: String) async throws {
        let journal = try await fiveEntries()
        try await tamper(sql)
        let problems = try await journal.verify().problems
        #expect(problems.contains { $0.contains(finding) }, "\(problems)")
        try await journal.close()
    }

    @Test("finds an end that was cut off without a trace by the signed head")
    func signedHead() async throws {
        let journal = try await fiveEntries()
        let key = HeadSigningKey()
        let line = try SignedHead(try await journal.head(), at: site.clock.now(), key: key)
        let signed = try SignedHead(parsing: line.description)
        try signed.verify(with: key.verifyingKey)
        #expect(signed.audit?.sequence == 5)
        #expect(try await journal.verify(known: signed.head, audit: signed.audit).isSound)
        try await journal.close()
        try await tamper(
            """
            DELETE FROM audit WHERE sequence > 3;
            UPDATE audit_log SET sequence = 3, head = (SELECT link FROM audit WHERE sequence = 3)
            """)
        let after = try SQLiteJournal.open(at: site.path, clock: site.clock)
        #expect(try await after.verify().isSound)
        #expect(
            try await after.verify(known: signed.head, audit: signed.audit).problems == [
                "the known head of the audit log is entry 5, and it ends at entry 3: its end was cut off"
            ])
        try await after.close()
    }

    @Test("takes no entry behind an end that was cut")
    func cutEnd() async throws {
        let journal = try await fiveEntries()
        try await tamper("DELETE FROM audit WHERE sequence = 5")
        await #expect(throws: JournalError.self) { try await journal.note([Self.note("key_6")]) }
        try await journal.close()
    }

    @Test("removes what is older than its retention, says so, and stays one chain")
    func retention() async throws {
        let first = try await fiveEntries()
        let head = try await first.auditStanding().head
        try await first.close()
        site.clock.advance(by: AuditLimits.retention)
        site.clock.advance(by: .days(1))
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        try await journal.note([Self.note("key_6")])
        let standing = try await journal.auditStanding()
        let left = try await journal.auditEntries(AuditQuery()).entries
        #expect(standing.base == head)
        #expect(left.map(\.note.action) == [.purged, .keyCreated])
        #expect(left.first?.note.count == 5)
        #expect(left.first?.note.subject == "1 to 5")
        #expect(try await journal.verify(known: nil, audit: head).problems == [])
        try await journal.close()
    }

    @Test("keeps with an event who caused it, and says nothing of one that was written before")
    func events() async throws {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        var (before, sale) = (try Sale(1), try Sale(2))
        try await journal.write(before.write())
        var write = sale.write()
        let by = Attribution(.key(id: "key_1", label: "till 2"), request: "req_7")
        write.append?.events[0].by = by
        try await journal.write(write)
        let events = try await journal.events(after: 0, account: nil, limit: 10)
        #expect(events.map(\.record.by) == [nil, by])
        #expect(try await journal.verify().problems == [])
        try await journal.close()
        try await tamper("UPDATE event SET body = replace(body, 'till 2', 'till 3') WHERE sequence = 2")
        let after = try SQLiteJournal.open(at: site.path, clock: site.clock)
        #expect(try await after.verify().problems.contains { $0.contains("event 2") })
        try await after.close()
    }
}
