import GRDB
import TillCore
public import TillJournal

extension SQLiteJournal {
    /// Verifies every invariant of the journal over all its contents, in one snapshot, while writers continue. A
    /// damaged journal yields a report with problems, not an error.
    /// - Parameters:
    ///   - known: a head of its chain that was recorded earlier and must still be in it.
    ///   - audit: the same for its audit log.
    /// - Throws: `JournalError.unavailable` or `JournalError.closed`.
    public func verify(known: ChainHead?, audit: ChainHead?) async throws(JournalError) -> VerificationReport {
        let now = clock.now()
        return try await read { db in
            var pass = VerificationPass()
            for line in try String.fetchAll(db, sql: "PRAGMA quick_check") where line != "ok" {
                pass.problem("SQLite: \(line)")
            }
            let chain = try walkChain(db, known: known)
            let log = try SQLiteJournal.walkAudit(db, known: audit)
            for problem in chain.problems + log.problems { pass.problem(problem) }
            try checkPayments(db, &pass)
            try checkOrders(db, &pass)
            try checkReferences(db, &pass)
            try checkTallies(db, &pass)
            try checkMoments(db, by: now.adding(JournalLimits.clockTolerance), &pass)
            let orders = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM (SELECT DISTINCT account, order_id FROM payment)")
            return pass.finished(orders: orders ?? 0, chain: chain, audit: log)
        }
    }
}

extension SQLiteJournal {
    /// Returns the identity of the journal and the durable head of its chain.
    /// - Throws: `JournalError.corrupted` if the stored head does not match the last event.
    public func head() async throws(JournalError) -> JournalHead { try await read { try SQLiteJournal.head($0) } }

    /// Returns the head of the chain as it was right after an event, from the event's own row.
    public func chainHead(after sequence: Int64) async throws(JournalError) -> ChainHead? {
        try await read { db in
            let row =
                try sequence > 0
                ? Row.fetchOne(db, sql: "SELECT link FROM event WHERE sequence = ?", arguments: [sequence])
                : Row.fetchOne(db, sql: "SELECT start FROM journal WHERE id = 1")
            guard let link = row?.octets(0), link.count == EventLink.byteCount else { return nil }
            return ChainHead(sequence: max(0, sequence), hash: link)
        }
    }

    private static func head(_ db: Database) throws -> JournalHead {
        guard let stated = try statedHead(db) else {
            throw JournalError.corrupted("the row that says where its chain ends is missing")
        }
        let last = try Row.fetchOne(db, sql: "SELECT sequence, link FROM event ORDER BY sequence DESC LIMIT 1")
            .map { ChainHead(sequence: $0[0], hash: $0.octets(1)) }
        guard try stated.head == last ?? start(db) else {
            throw JournalError.corrupted("its last event is not the one that it says its chain ends with")
        }
        return stated
    }

    /// Returns the heads as the journal itself records them; `nil` if its row is missing.
    static func statedHead(_ db: Database) throws -> JournalHead? {
        guard let head = try SQLiteSchema.head(db), let start = try start(db) else { return nil }
        return JournalHead(journal: HeadFile.name(of: start.hash), head: head, audit: try auditStanding(db).head)
    }

    private static func start(_ db: Database) throws -> ChainHead? {
        try Row.fetchOne(db, sql: "SELECT start FROM journal WHERE id = 1")
            .map { ChainHead(sequence: 0, hash: $0.octets(0)) }
    }
}

private func walkChain(_ db: Database, known: ChainHead?) throws -> ChainPass {
    let start = try Row.fetchOne(db, sql: "SELECT start FROM journal WHERE id = 1")?.octets(0)
    var chain = ChainPass(start: start ?? [], known: known)
    let rows = try Row.fetchCursor(db, sql: "SELECT \(EventLink.columns), link FROM event ORDER BY sequence")
    while let row = try rows.next() { chain.check(EventLink(row), link: row.octets(7)) }
    chain.finish(stated: try SQLiteSchema.head(db))
    return chain
}

/// Checks that a provider's reference of an attempt belongs to one payment. Attempts of one payment may share it.
private func checkReferences(_ db: Database, _ pass: inout VerificationPass) throws {
    let rows = try Row.fetchAll(
        db,
        sql: """
            WITH named AS (
              SELECT DISTINCT payment, iif(json_valid(body), json_extract(body, '$.attempt'), NULL) AS attempt,
                iif(json_valid(body), json_extract(body, '$.reference'), NULL) AS reference
              FROM event WHERE name IN ('attempt.prepared', 'attempt.authorized')
            ), provided AS (
              SELECT DISTINCT named.payment, reference, (
                SELECT json_extract(body, '$.provider') FROM event
                WHERE event.payment = named.payment AND name = 'attempt.started'
                AND iif(json_valid(body), json_extract(body, '$.attempt'), NULL) = named.attempt) AS provider
              FROM named WHERE reference IS NOT NULL
            )
            SELECT provider, reference, min(payment), max(payment) FROM provided
            GROUP BY provider, reference HAVING count(*) > 1 LIMIT 100
            """)
    for row in rows {
        let (provider, reference) = (row[0] as String? ?? "a provider", row[1] as String)
        pass.problem(
            "\(reference) of \(provider) is the reference of two payments, \(row[2] as String) and \(row[3] as String)")
    }
    // A declined attempt may have passed its reference on to the next; an authorized one cannot have.
    let twice = try Row.fetchAll(
        db,
        sql: """
            WITH named AS (
              SELECT DISTINCT payment, iif(json_valid(body), json_extract(body, '$.attempt'), NULL) AS attempt,
                iif(json_valid(body), json_extract(body, '$.reference'), NULL) AS reference
              FROM event WHERE name = 'attempt.authorized'
            )
            SELECT reference, payment, min(attempt), max(attempt) FROM named WHERE reference IS NOT NULL
            GROUP BY payment, reference HAVING count(*) > 1 LIMIT 100
            """)
    for row in twice {
        pass.problem(
            "\(row[0] as String) is the reference of two authorized attempts of \(row[1] as String), "
                + "\(row[2] as String) and \(row[3] as String)")
    }
}

/// Checks the maintained totals against the actual counts.
private func checkTallies(_ db: Database, _ pass: inout VerificationPass) throws {
    let tallied = Tally.all.map { "UNION ALL SELECT '\($0.name)', 0, \($0.column) FROM journal" }
        .joined(separator: " ")
    let rows = try Row.fetchAll(
        db,
        sql: """
            SELECT name, sum(counted), sum(tallied) FROM (
              SELECT 'payment ' || status AS name, count(*) AS counted, 0 AS tallied FROM payment GROUP BY status
              UNION ALL SELECT 'outbox', count(*), 0 FROM outbox
              \(tallied)
            ) GROUP BY name HAVING sum(counted) <> sum(tallied)
            """)
    for row in rows {
        pass.problem("the tally of “\(row[0] as String)” is \(row[2] as Int64), and there are \(row[1] as Int64)")
    }
}

/// Checks that no time is in the future.
private func checkMoments(_ db: Database, by latest: Timestamp, _ pass: inout VerificationPass) throws {
    let checks = [
        (
            "SELECT 'event ' || sequence || ' (' || payment || ')', at FROM event WHERE at > ? ORDER BY sequence",
            "happened"
        ),
        ("SELECT 'the idempotency key ' || key, created_at FROM idempotency WHERE created_at > ?", "came"),
        ("SELECT 'the webhook ' || id || ' of ' || provider, at FROM webhook WHERE at > ?", "came"),
    ]
    for (sql, verb) in checks {
        for row in try Row.fetchAll(db, sql: sql + " LIMIT 100", arguments: [latest.milliseconds]) {
            let moment = Timestamp(milliseconds: row[1])
            pass.misdated("\(row[0] as String) \(verb) in the future, at \(moment)")
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
            "is named by an idempotency key and is no payment of the journal",
            """
            SELECT payment FROM idempotency
            WHERE payment IS NOT NULL AND payment NOT IN (SELECT payment FROM event WHERE version = 1)
            """
        ),
        (
            "is held by a process that the journal does not know",
            "SELECT payment FROM outbox WHERE owner IS NOT NULL AND owner NOT IN (SELECT owner FROM process)"
        ),
        (
            "is an order with several live payments",
            "SELECT order_id FROM payment WHERE live = 1 GROUP BY account, order_id HAVING count(*) > 1"
        ),
        (
            "is an order that was paid more than once",
            """
            SELECT order_id FROM payment WHERE captured > refunded AND live < 2
            GROUP BY account, order_id HAVING count(*) > 1
            """
        ),
    ]
    for (what, sql) in checks {
        for id in try String.fetchAll(db, sql: sql + " LIMIT 100") { pass.problem("\(id) \(what)") }
    }
}
