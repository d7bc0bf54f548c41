import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal
@testable import TillJournalSQLite

/// Every statement that a running counter sends to its journal is read from an index, however many payments there are.
@Suite("The journal's statements")
struct QueryPlanTests {
    @Test("None reads a whole table")
    func plans() async throws {
        let site = Site(.sqlite)
        let statements = try await StatementLog.shared.statements(of: site.path) { try await work(on: site) }
        // Each kind of work is in it, else this test would not see what it misses.
        for part in [
            "FROM event WHERE sequence > ? AND account = ?", "FROM payment WHERE id < ? AND account = ? AND status = ?",
            "min(account) FROM payment", "due_at <= ?", "FROM idempotency", "DELETE FROM webhook",
            "outbox.due_at IS NULL", "tally_outbox FROM journal", "tally_outbox = tally_outbox + ",
            "INSERT INTO event", "FROM record_field", "max(sequence)", "(due_at, payment) >", "UPDATE journal",
            "SELECT version FROM payment", "'$.by.id'), NULL) = ?",
            "'$.order.metadata.shop'), NULL) = ?", "live <> 1 AND id < ? AND account = ? AND order_id = ?",
        ] {
            #expect(statements.contains { $0.contains(part) }, "nothing runs \(part)")
        }
        let queue = try DatabaseQueue(path: site.path)
        for sql in statements where !isExempt(sql) {
            let plan = try await queue.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql.replacing(/\?[0-9]*/, with: "1")).map {
                    $0["detail"] as String
                }
            }
            let scans = plan.filter { $0.hasPrefix("SCAN") && $0 != "SCAN CONSTANT ROW" }
            #expect(scans.isEmpty, "\(sql)\n\(plan)")
            // A list by origin is read from its own index, not from that of all events.
            if sql.contains("AS sold") {
                #expect(plan.contains { $0.contains("event_seller") || $0.contains("event_shop") }, "\(sql)\n\(plan)")
            }
            // The payments of an order are read from the two indexes by order, not from among those of the account.
            if sql.contains("order_id = ?") {
                #expect(!plan.contains { $0.contains("payment_account") }, "\(sql)\n\(plan)")
            }
            // Sorting needs all rows first, also where a page is asked for.
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(sql)\n\(plan)")
        }
    }

    /// What opens the file, and the oldest rows of which cleaning takes a bounded number from the front.
    private func isExempt(_ sql: String) -> Bool {
        ["DELETE FROM idempotency WHERE rowid IN", "DELETE FROM webhook WHERE rowid IN"].contains { sql.hasPrefix($0) }
            || !["SELECT", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) } || sql.contains("sqlite_")
            || sql.contains("grdb_")
    }

    /// All that a counter does on its journal, by its public methods.
    private func work(on site: Site) async throws {
        let other = AccountID(rawValue: "other")
        try await SQLiteJournal.open(at: site.path, clock: site.clock).close()
        StatementLog.shared.forget()
        let journal = try SQLiteJournal.open(at: site.path, clock: site.clock)
        var sales: [Sale] = []
        for number in 1...3 {
            var sale = try Sale(number, account: number == 3 ? other : .main)
            if number == 1 { sale.pay() } else { sale.begin() }
            var write = sale.write(due: sale.payment.nextDue, holder: number == 2 ? .thisProcess : .nobody)
            write.idempotency = IdempotencyRecord(
                scope: IdempotencyScope(account: .main, operation: "sale", key: "\(number)"), fingerprint: [1],
                request: [], createdAt: site.clock.now(), state: .inFlight(payment: sale.payment.id, operation: nil))
            write.webhook = WebhookReceipt(provider: .sandbox, id: "\(number)", at: site.clock.now())
            write.wake = (sale.payment.id, Sale.start)
            write.records = [
                .insert(TillJournal.Record(RecordID("note", "\(number)"), body: [], fields: ["state": "open"]))
            ]
            try await journal.write(write)
            sales.append(sale)
        }
        let again = try SQLiteJournal.open(at: site.path, clock: site.clock)
        for journal in [journal, again] {
            for account in [AccountID.main, other, nil] {
                _ = try await journal.events(after: 0, account: account, limit: 10)
                for status in [PaymentStatus.succeeded, .stored, nil] {
                    for before in [sales[2].payment.id, nil] {
                        _ = try await journal.payments(PaymentFilter(account: account, status: status, before: before))
                    }
                }
            }
            for status in [PaymentStatus.succeeded, nil] {
                _ = try await journal.payments(
                    PaymentFilter(account: .main, order: sales[0].payment.order.id, status: status))
            }
            let ada = StaffID(rawValue: "stf_1")
            let origins: [(StaffID?, String?)] = [(ada, nil), (nil, "shop_1"), (ada, "shop_1")]
            for (seller, shop) in origins {
                for status in [PaymentStatus.succeeded, nil] {
                    var filter = PaymentFilter(account: .main, status: status, before: sales[2].payment.id)
                    (filter.seller, filter.shop) = (seller, shop)
                    _ = try await journal.payments(filter)
                }
            }
            _ = try await journal.payment(sales[0].payment.id)
            _ = try await journal.version(of: sales[0].payment.id)
            _ = try await journal.livePayment(account: .main, order: sales[0].payment.order.id)
            for place in [nil, OutboxPlace(moment: Sale.start, payment: sales[0].payment.id)] {
                _ = try await journal.due(at: Sale.start.adding(.days(1)), after: place, limit: 10)
            }
            _ = try await journal.idempotency(IdempotencyScope(account: .main, operation: "sale", key: "1"))
            _ = try await journal.metrics(at: site.clock.now())
            _ = try await journal.newestMoment()
            _ = try await journal.planned(after: .later(than: Sale.start), limit: 10)
            try await journal.checkWriting()
            let match = RecordMatch("state", "open")
            for order in [RecordOrder.oldestFirst(), .newestFirst(), .due(by: site.clock.now())] {
                _ = try await journal.records(RecordQuery("note", order))
            }
            _ = try await journal.records(RecordQuery("note", matching: match))
            _ = try await journal.record(RecordID("note", "1"))
            _ = try await journal.count("note", matching: match)
        }
        // What it held is a dead process's.
        var held = try Sale(4)
        try await again.write(held.write(holder: .thisProcess))
        try await again.close()
        _ = try await journal.due(at: Sale.start.adding(.days(1)), limit: 10)
        sales[1].add(.attemptNotSent(sales[1].attempt, reason: "off"))
        try await journal.write(sales[1].write())
        try await journal.change([
            .update(TillJournal.Record(RecordID("note", "1"), body: [1]), from: 1),
            .delete(RecordID("note", "2"), from: 1),
            .remove(RecordID("note", "3")),
            .forget("note", dueBy: site.clock.now()),
            .keepNewest(1, of: "note", matching: RecordMatch("state", "open")),
        ])
        try await journal.close()
    }
}

/// The text of every statement that runs on one file, whoever has opened it, as SQLite itself reports it.
private final class StatementLog: Sendable {
    static let shared = StatementLog()

    private struct State {
        var path: String?
        var statements: Set<String> = []
    }

    private let state = Mutex(State())

    /// The statements that run on the file while the work is done.
    func statements(of path: String, _ work: () async throws -> Void) async throws -> [String] {
        state.withLock { $0 = State(path: path) }
        typealias Extension =
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
                OpaquePointer?
            ) -> Int32
        let trace: Extension = { database, _, _ in
            sqlite3_trace_v2(
                database, UInt32(SQLITE_TRACE_STMT),
                { _, _, statement, _ in
                    guard let statement else { return 0 }
                    StatementLog.shared.add(OpaquePointer(statement))
                    return 0
                }, nil)
        }
        let entry = unsafeBitCast(trace, to: (@convention(c) () -> Void).self)
        sqlite3_auto_extension(entry)
        defer { sqlite3_cancel_auto_extension(entry) }
        try await work()
        return state.withLock { $0.statements.sorted() }
    }

    func forget() { state.withLock { $0.statements = [] } }

    private func add(_ statement: OpaquePointer) {
        guard let sql = sqlite3_sql(statement), let database = sqlite3_db_handle(statement),
            let file = sqlite3_db_filename(database, "main")
        else { return }
        let (text, path) = (String(cString: sql), String(cString: file))
        state.withLock { state in
            guard let watched = state.path, path.hasSuffix(watched) else { return }
            state.statements.insert(text)
        }
    }
}
