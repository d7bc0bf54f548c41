import Foundation
import GRDB
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

/// Every event is tied to the one before it, so that a change by another hand is found and named.
@Suite("The chain of events")
struct ChainTests {
    private let site = Site(.sqlite)

    /// Three paid sales: events 1 to 5, 6 to 10 and 11 to 15.
    private func threeSales() async throws -> SQLiteJournal {
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        for number in 1...3 {
            var sale = try Sale(number)
            sale.pay()
            try await journal.write(sale.write())
        }
        return journal
    }

    private func tamper(_ sql: String) async throws {
        try await DatabaseQueue(path: site.path).write { try $0.execute(sql: sql) }
    }

    @Test("goes on over processes and commits, and its head stands for all of it")
    func goesOn() async throws {
        let journal = try await threeSales()
        let other = try SQLiteJournal.open(at: site.path, clock: site.clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 4...60 {
                group.addTask {
                    var sale = try Sale(number)
                    sale.pay()
                    try await (number.isMultiple(of: 2) ? journal : other).write(sale.write())
                }
            }
            try await group.waitForAll()
        }
        let report = try await other.verify()
        #expect(report.problems == [])
        #expect(report.head?.sequence == 300)
        let head = try #require(report.head)
        #expect(ChainHead(head.description) == head)
        #expect(try await journal.verify(known: head).isSound)
        try await journal.close()
        try await other.close()
    }

    @Test(
        "names what another hand has done",
        arguments: [
            (
                "UPDATE event SET at = at + 1 WHERE sequence = 7",
                "event 7 (pay_100002, version 2) is not what was written"
            ),
            (
                "UPDATE event SET body = replace(body, 'main', 'mein') WHERE sequence = 6",
                "event 6 (pay_100002, version 1) is not what was written"
            ),
            ("DELETE FROM event WHERE sequence = 8", "event 8 is missing"),
            ("DELETE FROM event WHERE sequence > 12", "the journal ends at event 12, and event 15 was written"),
            ("UPDATE event SET link = NULL WHERE sequence = 9", "event 9 (pay_100002, version 4) is in no chain"),
            ("UPDATE journal SET head = zeroblob(32)", "the journal's own head is not that of its last event, 15"),
            (
                """
                UPDATE event SET sequence = 99 WHERE sequence = 4; UPDATE event SET sequence = 4 WHERE sequence = 9;
                UPDATE event SET sequence = 9 WHERE sequence = 99
                """, "event 4 (pay_100002, version 4) is not what was written, or not in its place"
            ),
        ])
    func tampering(_ sql: String, _ finding: String) async throws {
        let journal = try await threeSales()
        try await tamper(sql)
        let problems = try await journal.verify().problems
        #expect(problems.contains { $0.contains(finding) }, "\(problems)")
        try await journal.close()
    }

    @Test("names a payment that is gone with everything of it")
    func deletedPayment() async throws {
        let journal = try await threeSales()
        let record = IdempotencyRecord(
            scope: IdempotencyScope(account: .main, operation: "payments.create", key: "k"), fingerprint: [1],
            request: [], createdAt: Sale.start,
            state: .finished(status: 201, body: [], payment: PaymentID(rawValue: "pay_100002")))
        try await journal.write(JournalWrite(idempotency: record))
        try await tamper(
            """
            DELETE FROM event WHERE payment = 'pay_100002'; DELETE FROM payment WHERE id = 'pay_100002';
            UPDATE journal SET tally_succeeded = 2
            """)
        #expect(
            try await journal.verify().problems == [
                "events 6 to 10 are missing",
                "pay_100002 is named by an idempotency key and is no payment of the journal",
            ])
        try await journal.close()
    }

    @Test("finds an end that was cut off without a trace by the head that was noted down")
    func knownHead() async throws {
        let journal = try await threeSales()
        let target = site.folder + "/backup.sqlite"
        let head = try await journal.backup(to: target)
        #expect(try await journal.verify().head == head)
        try await journal.close()
        let cut = """
            DELETE FROM event WHERE sequence > 10; DELETE FROM payment WHERE id = 'pay_100003';
            UPDATE journal SET sequence = 10, head = (SELECT link FROM event WHERE sequence = 10);
            UPDATE journal SET tally_succeeded = 2
            """
        try await tamper(cut)
        let after = try SQLiteJournal.open(at: site.path, clock: site.clock)
        #expect(try await after.verify().isSound)
        #expect(
            try await after.verify(known: head).problems == [
                "the known head is event 15, and the journal ends at event 10: its end was cut off"
            ])
        // Sales that are made afterwards do not hide it.
        var sale = try Sale(4)
        sale.pay()
        try await after.write(sale.write())
        #expect(
            try await after.verify(known: head).problems == [
                "the journal is not the one of the known head: event 15 or one before it is another"
            ])
        try await after.close()
        let copy = try SQLiteJournal.open(at: target, clock: site.clock)
        #expect(try await copy.verify(known: head).isSound)
        try await copy.close()
    }

    @Test(
        "takes no event behind an end that was cut or changed",
        arguments: [
            "DELETE FROM event WHERE sequence = 15",
            "UPDATE event SET link = zeroblob(32) WHERE sequence = 15",
            "UPDATE journal SET sequence = 10, head = (SELECT link FROM event WHERE sequence = 10)",
            "DELETE FROM journal",
        ])
    func live(_ sql: String) async throws {
        let journal = try await threeSales()
        try await tamper(sql)
        var sale = try Sale(4)
        let write = sale.write()
        await #expect {
            try await journal.write(write)
        } throws: { error in
            if case .corrupted? = error as? JournalError { true } else { false }
        }
        #expect(try await journal.payment(sale.payment.id) == nil)
        try await journal.close()
    }

    @Test("is made for older events in batches, and gone on with after a death in between")
    func migration() async throws {
        let journal = try await threeSales()
        let head = try await journal.verify().head
        try await journal.close()
        // As after a death in the middle: seven events have their links, eight have none yet.
        try await tamper(
            """
            UPDATE journal SET chained = 0, sequence = 7, head = (SELECT link FROM event WHERE sequence = 7);
            UPDATE event SET link = NULL WHERE sequence > 7
            """)
        let again = try SQLiteJournal.open(at: site.path, clock: site.clock)
        let report = try await again.verify()
        #expect(report.problems == [])
        #expect(report.head == head)
        // Once it is made, an event without a link is one by another hand.
        try await again.close()
        try await tamper("UPDATE event SET link = NULL WHERE sequence = 15")
        let third = try SQLiteJournal.open(at: site.path, clock: site.clock)
        #expect(try await !third.verify().isSound)
        try await third.close()
    }

    @Test(
        "a check finds what stands beside the events and cannot be",
        arguments: [
            (
                "UPDATE outbox SET due_at = due_at + 1 WHERE payment = 'pay_100004'",
                "pay_100004: something is to be done at"
            ),
            ("UPDATE outbox SET owner = 77 WHERE payment = 'pay_100004'", "pay_100004 is held by a process"),
            (
                "UPDATE event SET body = replace(body, 'sb_pay_100002', 'sb_pay_100001') WHERE payment = 'pay_100002'",
                "sb_pay_100001 of sandbox is the reference of two payments, pay_100001 and pay_100002"
            ),
            (
                """
                INSERT INTO event(sequence, payment, version, account, name, at, body)
                SELECT 1000, payment, 99, account, name, at, replace(body, 'pay_100003-a1', 'pay_100003-a2') FROM event
                WHERE payment = 'pay_100003' AND name = 'attempt.authorized'
                """,
                "sb_pay_100003 is the reference of two authorized attempts of pay_100003, pay_100003-a1 and"
            ),
            (
                "UPDATE event SET at = at + 86400000 WHERE sequence = 15",
                "event 15 (pay_100003) happened in the future, at 2027-01-16"
            ),
            (
                "INSERT INTO webhook VALUES ('sandbox', 'evt_1', 1900000000000)",
                "the webhook evt_1 of sandbox came in the future"
            ),
            ("UPDATE journal SET tally_succeeded = 9", "the tally of “payment succeeded” is 9"),
            ("UPDATE journal SET tally_outbox = 0", "the tally of “outbox” is 0, and there are 1"),
            ("UPDATE journal SET tally_expired = 1", "the tally of “payment expired” is 1, and there are 0"),
        ])
    func beside(_ sql: String, _ finding: String) async throws {
        let journal = try await threeSales()
        var pending = try Sale(4)
        pending.begin()
        try await journal.write(pending.write(due: pending.payment.nextDue, holder: .thisProcess))
        #expect(try await journal.verify().problems == [])
        try await tamper(sql)
        let problems = try await journal.verify().problems
        #expect(problems.contains { $0.hasPrefix(finding) }, "\(problems)")
        try await journal.close()
    }
}
