import Testing
import TillCore
import TillPostgres
import TillTestSupport

@testable import TillJournal

/// A journal that goes from a file into a database, and back.
@Suite("Moving a journal")
struct JournalMoveTests {
    private func open(_ site: Site) throws -> any MovableJournal {
        try #require(try site.open() as? any MovableJournal)
    }

    /// Some of everything that a journal keeps.
    private func fill(_ journal: any MovableJournal) async throws {
        var (paid, returned, open) = (try Sale(1), try Sale(2), try Sale(3))
        paid.pay()
        returned.pay()
        returned.giveBack()
        open.begin()
        let scope = IdempotencyScope(account: .main, operation: "payments.create", key: "k-1")
        var write = paid.write()
        write.idempotency = IdempotencyRecord(
            scope: scope, fingerprint: [1, 0], request: [2], createdAt: Sale.start,
            state: .finished(status: 201, body: [0, 255], payment: paid.payment.id))
        write.webhook = WebhookReceipt(provider: .sandbox, id: "w-1", at: Sale.start)
        try await journal.write(write)
        try await journal.write(returned.write())
        try await journal.write(open.write(due: Sale.start))
        for number in 1...3 {
            try await journal.change([
                .insert(
                    Record(
                        RecordID("thing", "\(number)"), body: [0, UInt8(number)], fields: ["colour": "red"],
                        due: number == 2 ? Sale.start : nil, isHeld: number == 3))
            ])
        }
        try await journal.change(
            [.delete(RecordID("thing", "1"), from: 1)], noting: [AuditNote(.keyCreated, subject: "k")])
    }

    @Test("brings everything there with its number, and back")
    func thereAndBack() async throws {
        let (file, database, another) = (Site(.sqlite), Site(.postgres), Site(.sqlite))
        let source = try open(file)
        try await fill(source)
        let head = try await source.head()
        let target = try open(database)
        let report = try await JournalMove(from: source, "file", to: target, "database").run()
        #expect(report.payments == 3 && report.head == head && report.events == Int(head.head.sequence))
        #expect(try await target.head().head == head.head)
        #expect(
            try await target.idempotency(.init(account: .main, operation: "payments.create", key: "k-1"))?.isFinished
                == true)
        #expect(try await target.record(RecordID("thing", "3"))?.position == 3)
        #expect(try await target.record(RecordID("thing", "3"))?.holder == .nobody)
        #expect(try await target.due(at: Sale.start, limit: 9) == [PaymentID(rawValue: "pay_100003")])
        // What is left behind sells nothing.
        #expect(try await RestoreSweep.due(in: source)?.cause == .moved(to: "database"))
        await #expect(throws: JournalError.recordConflict(RestoreSweep.id, current: 1)) {
            try await source.change(SaleGate.conditions(account: .main, order: nil))
        }
        try await source.close()
        // It goes on there: events, and positions of records that were never given.
        var sale = try Sale(4)
        try await target.write(sale.write())
        try await target.change([.insert(Record(RecordID("thing", "4"), body: []))])
        #expect(try await target.record(RecordID("thing", "4"))?.position == 4)
        let back = try open(another)
        let second = try await JournalMove(from: target, "database", to: back, "another").run()
        #expect(second.payments == 4 && second.head.journal == head.journal)
        #expect(try await back.verify(known: head.head, audit: head.audit).problems == [])
        #expect(try await back.events(after: 0, account: nil, limit: 99).count == report.events + 1)
        try await target.close()
        try await back.close()
    }

    @Test("leaves alone what is in use, not empty, unsound, unsettled or moved already")
    func refusals() async throws {
        let (file, database) = (Site(.sqlite), Site(.postgres))
        let source = try open(file)
        try await fill(source)
        let target = try open(database)
        func refusal() async throws -> String? {
            do throws(JournalMoveError) {
                _ = try await JournalMove(from: source, "one", to: target, "two").run()
                return nil
            } catch { return error.code }
        }
        let other = try file.open()
        #expect(try await refusal() == "journal_in_use")
        try await file.end(other)
        try await target.change([.insert(Record(RecordID("thing", "9"), body: []))])
        #expect(try await refusal() == "journal_not_empty")
        try await target.change([.remove(RecordID("thing", "9"))])
        var held = try Sale(8)
        let dead = try file.open()
        try await dead.write(held.write(holder: .thisProcess))
        try await file.end(dead)
        #expect(try await refusal() == "journal_unsettled")
        try await source.write(JournalWrite(append: held.append()))
        #expect(try await refusal() == nil)
        #expect(try await refusal() == "journal_restoring")
        try await source.close()
        try await target.close()
    }

    @Test("finds what another hand has changed in the source, and writes nothing")
    func unsound() async throws {
        let (file, database) = (Site(.postgres), Site(.postgres))
        let source = try open(file)
        try await fill(source)
        try PostgresCluster.shared.get().run(
            "UPDATE event SET body = body || ' ' WHERE sequence = 2", schema: file.schema)
        let target = try open(database)
        await #expect {
            _ = try await JournalMove(from: source, "one", to: target, "two").run()
        } throws: { ($0 as? JournalMoveError)?.code == "journal_unsound" }
        #expect(try await target.events(after: 0, account: nil, limit: 9).isEmpty)
        try await source.close()
        try await target.close()
    }
}
