import GRDB
import TillCore

extension SQLiteJournal {
    /// Checks every rule that the journal promises, over everything in it, in one snapshot; writers go on meanwhile.
    /// A damaged journal is a report with problems, not an error.
    /// - Throws: ``JournalError/unavailable(_:)`` or ``JournalError/closed``.
    public func verify() async throws(JournalError) -> VerificationReport {
        try await read { db in
            var pass = VerificationPass()
            for line in try String.fetchAll(db, sql: "PRAGMA quick_check") where line != "ok" {
                pass.problem("SQLite: \(line)")
            }
            try checkPayments(db, &pass)
            try checkOrders(db, &pass)
            let orders = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM (SELECT DISTINCT account, order_id FROM payment)")
            return pass.finished(orders: orders ?? 0)
        }
    }
}

private func checkPayments(_ db: Database, _ pass: inout VerificationPass) throws {
    let rows = try Row.fetchCursor(
        db, sql: "SELECT \(StoredEvent.columns) FROM event ORDER BY payment, version")
    var current: PaymentID?
    var events: [StoredEvent] = []
    var isReadable = true
    func finish(_ pass: inout VerificationPass) throws {
        guard let current, isReadable else { return }
        pass.check(current, events: events, projection: try projection(current, db, &pass))
    }
    while let row = try rows.next() {
        let id = PaymentID(rawValue: row[1])
        if id != current {
            try finish(&pass)
            current = id
            events = []
            isReadable = true
        }
        do { events.append(try StoredEvent(row)) } catch {
            if isReadable { pass.problem("\(id): \(error)") }
            isReadable = false
        }
    }
    try finish(&pass)
}

private func projection(
    _ id: PaymentID, _ db: Database, _ pass: inout VerificationPass
) throws -> VerificationPass.Projection? {
    let statement = try db.cachedStatement(
        sql: """
            SELECT \(PaymentRow.columns), live, (SELECT due_at FROM outbox WHERE outbox.payment = payment.id)
            FROM payment WHERE id = ?
            """)
    guard let row = try Row.fetchOne(statement, arguments: [id.rawValue]) else { return nil }
    do {
        return VerificationPass.Projection(
            row: try PaymentRow(row), isLive: row[14] as Int64 > 0,
            due: (row[15] as Int64?).map { Timestamp(milliseconds: $0) })
    } catch let error as JournalError {
        pass.problem("\(id): \(error)")
        return nil
    }
}

private func checkOrders(_ db: Database, _ pass: inout VerificationPass) throws {
    let checks = [
        (
            "has a row and no events",
            "SELECT id FROM payment WHERE id NOT IN (SELECT payment FROM event WHERE version = 1)"
        ),
        ("is in the outbox and has no row", "SELECT payment FROM outbox WHERE payment NOT IN (SELECT id FROM payment)"),
        (
            "is an order with several live payments",
            "SELECT order_id FROM payment WHERE live = 1 GROUP BY account, order_id HAVING count(*) > 1"
        ),
        (
            "is an order that was paid more than once",
            "SELECT order_id FROM payment WHERE captured > refunded AND live < 2 GROUP BY account, order_id HAVING count(*) > 1"
        ),
    ]
    for (what, sql) in checks {
        for id in try String.fetchAll(db, sql: sql + " LIMIT 100") { pass.problem("\(id) \(what)") }
    }
}
