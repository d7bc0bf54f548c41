import TillCore
public import TillJournal

extension PostgresJournal {
    /// Checks every invariant of the journal, over its entire content, in one snapshot; writers continue meanwhile. A
    /// damaged journal yields a report with problems, not an error.
    /// - Parameters:
    ///   - known: an earlier head of its chain, which must still be in it.
    ///   - audit: an earlier head of its audit log, likewise.
    public func verify(known: ChainHead?, audit: ChainHead?) async throws(JournalError) -> VerificationReport {
        let latest = clock.now().adding(JournalLimits.clockTolerance)
        let survey = PostgresThreads(address, .survey, name: "till.journal.verify")
        defer { survey.close() }
        return try await run(on: survey) { (connection) throws(PostgresFailure) in
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return try Survey(connection: connection).report(known: known, audit: audit, latest: latest)
        }
    }

    /// Returns the identity of the journal and the current head of its chain.
    /// - Throws: ``JournalError/corrupted(_:)`` if the stated head does not match the last event.
    public func head() async throws(JournalError) -> JournalHead {
        let row = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                SELECT start, journal.sequence, journal.head, event.sequence, link, audit_log.sequence, audit_log.head
                FROM journal LEFT JOIN audit_log ON audit_log.id = 1
                LEFT JOIN LATERAL (SELECT sequence, link FROM event ORDER BY sequence DESC LIMIT 1) AS event ON true
                WHERE journal.id = 1
                """
            ).first
        }
        guard let row else { throw .corrupted("the row that says where its chain ends is missing") }
        let head = ChainHead(sequence: row.int(1), hash: row.bytes(2))
        let last = row.optionalInt(3).map { ChainHead(sequence: $0, hash: row.bytes(4)) }
        guard head == last ?? ChainHead(sequence: 0, hash: row.bytes(0)) else {
            throw .corrupted("its last event is not the one that it says its chain ends with")
        }
        let audit = row.optionalInt(5).map { ChainHead(sequence: $0, hash: row.bytes(6)) }
        return JournalHead(journal: JournalHead.name(of: row.bytes(0)), head: head, audit: audit)
    }

    /// Returns the head of the chain as it was right after an event, from the event's own row.
    public func chainHead(after sequence: Int64) async throws(JournalError) -> ChainHead? {
        let row = try await read { (connection) throws(PostgresFailure) -> PostgresRow? in
            guard sequence > 0 else { return try connection.query("SELECT start FROM journal WHERE id = 1").first }
            return try connection.query("SELECT link FROM event WHERE sequence = $1", [.int(sequence)]).first
        }
        guard let link = row?.bytes(0), link.count == EventLink.byteCount else { return nil }
        return ChainHead(sequence: max(0, sequence), hash: link)
    }
}

/// A full check, within the connection's open transaction.
private struct Survey {
    let connection: PostgresConnection
    /// The number of events in one page.
    static let page = Int64(PostgresLimits.surveyPage)
    static let noAuditLog = "the row that says where its audit log ends is missing"

    func report(
        known: ChainHead?, audit: ChainHead?, latest: Timestamp
    ) throws(PostgresFailure) -> VerificationReport {
        var pass = VerificationPass()
        let chain = try walkChain(known)
        let log = try walkAudit(audit)
        for problem in chain.problems + (log?.problems ?? [Survey.noAuditLog]) { pass.problem(problem) }
        try checkPayments(&pass)
        try checkRows(&pass)
        try checkReferences(&pass)
        try checkTallies(&pass)
        try checkMoments(latest, &pass)
        let orders = try query("SELECT count(*) FROM (SELECT DISTINCT account, order_id FROM payment) AS orders")
        return pass.finished(orders: Int(clamping: orders.first?.int(0) ?? 0), chain: chain, audit: log)
    }

    private func query(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresFailure) -> [PostgresRow] {
        try connection.query(sql, values, within: PostgresLimits.longAnswerTime)
    }

    private func walkChain(_ known: ChainHead?) throws(PostgresFailure) -> ChainPass {
        let journal = try query("SELECT start, sequence, head FROM journal WHERE id = 1").first
        var chain = ChainPass(start: journal?.bytes(0) ?? [], known: known)
        var last: Int64 = .min
        while true {
            let rows = try query(
                """
                SELECT sequence, version, at, payment, account, name, body, link FROM event WHERE sequence > $1
                ORDER BY sequence LIMIT $2
                """, [.int(last), .int(Survey.page)])
            for row in rows {
                let event = EventLink(
                    sequence: row.int(0), version: row.int(1), at: row.int(2), payment: row.text(3),
                    account: row.text(4), name: row.text(5), body: row.bytes(6))
                chain.check(event, link: row.bytes(7))
                last = event.sequence
            }
            if rows.count < Survey.page { break }
        }
        chain.finish(stated: journal.map { ChainHead(sequence: $0.int(1), hash: $0.bytes(2)) })
        return chain
    }

    /// Checks the audit log; returns `nil` if its stated bounds are missing.
    private func walkAudit(_ known: ChainHead?) throws(PostgresFailure) -> AuditPass? {
        guard let standing = try query(AuditColumns.standing).first.map({ AuditStanding($0) }) else { return nil }
        var pass = AuditPass(base: standing.base, known: known)
        var last: Int64 = .min
        while true {
            let rows = try query(AuditColumns.select, [.int(last), .int(Survey.page)])
            for row in rows {
                last = row.int(0)
                pass.check(sequence: last, body: row.bytes(1), link: row.bytes(2))
            }
            if rows.count < Survey.page { break }
        }
        pass.finish(stated: standing.head)
        return pass
    }

    private func checkPayments(_ pass: inout VerificationPass) throws(PostgresFailure) {
        var last = ""
        while true {
            let ids = try query(
                "SELECT DISTINCT payment FROM event WHERE payment > $1 ORDER BY payment LIMIT $2",
                [.text(last), .int(Survey.page / 10)]
            ).map { $0.text(0) }
            guard let first = ids.first, let final = ids.last else { return }
            let range: [PostgresValue] = [.text(first), .text(final)]
            let events = try query(
                """
                SELECT \(EventColumns.sql) FROM event WHERE payment BETWEEN $1 AND $2 ORDER BY payment, version
                """, range)
            let rows = try query(
                """
                SELECT \(PaymentColumns.sql), live, (SELECT due_at FROM outbox WHERE outbox.payment = payment.id)
                FROM payment WHERE id BETWEEN $1 AND $2
                """, range)
            let eventsOf = Dictionary(grouping: events) { $0.text(1) }
            let rowOf = Dictionary(rows.map { ($0.text(0), $0) }) { first, _ in first }
            for id in ids { check(PaymentID(rawValue: id), eventsOf[id] ?? [], rowOf[id], &pass) }
            last = final
        }
    }

    private func check(
        _ id: PaymentID, _ events: [PostgresRow], _ row: PostgresRow?, _ pass: inout VerificationPass
    ) {
        do throws(JournalError) {
            let events = try events.map { (row) throws(JournalError) in try StoredEvent(row) }
            var projection: VerificationPass.Projection?
            if let row {
                projection = VerificationPass.Projection(
                    row: try PaymentRow(row), isLive: row.int(14) > 0,
                    due: row.optionalInt(15).map { Timestamp(milliseconds: $0) })
            }
            pass.check(id, events: events, projection: projection)
        } catch { pass.problem("\(id): \(error)") }
    }

    private func checkRows(_ pass: inout VerificationPass) throws(PostgresFailure) {
        let checks = [
            (
                "has a row and no events",
                "SELECT id FROM payment WHERE NOT EXISTS (SELECT 1 FROM event WHERE event.payment = id AND event.version = 1)"
            ),
            (
                "is in the outbox and has no row",
                "SELECT payment FROM outbox WHERE NOT EXISTS (SELECT 1 FROM payment WHERE id = outbox.payment)"
            ),
            (
                "is named by an idempotency key and is no payment of the journal",
                """
                SELECT payment FROM idempotency WHERE payment IS NOT NULL AND NOT EXISTS (
                  SELECT 1 FROM event WHERE event.payment = idempotency.payment AND event.version = 1)
                """
            ),
            (
                "is held by a process that the journal does not know",
                """
                SELECT payment FROM outbox WHERE owner IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM counter WHERE counter.owner = outbox.owner)
                """
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
            for row in try query(sql + " LIMIT 100") { pass.problem("\(row.text(0)) \(what)") }
        }
    }

    /// Checks that a provider's reference of an attempt belongs to one payment. Attempts of one payment may share it.
    private func checkReferences(_ pass: inout VerificationPass) throws(PostgresFailure) {
        try connection.execute("SAVEPOINT reading")
        let rows: [PostgresRow]
        let twice: [PostgresRow]
        do throws(PostgresFailure) {
            rows = try query(Survey.references)
            twice = try query(Survey.referencesTwice)
        } catch {
            // A body is not JSON; the fault of its event is reported elsewhere.
            guard case .server = error.kind else { throw error }
            try connection.execute("ROLLBACK TO SAVEPOINT reading")
            return pass.problem("providers' references cannot be compared: \(error.text)")
        }
        for row in rows {
            pass.problem(
                "\(row.text(1)) of \(row.optionalText(0) ?? "a provider") is the reference of two payments, "
                    + "\(row.text(2)) and \(row.text(3))")
        }
        for row in twice {
            pass.problem(
                "\(row.text(0)) is the reference of two authorized attempts of \(row.text(1)), "
                    + "\(row.text(2)) and \(row.text(3))")
        }
    }

    /// A declined attempt may pass its reference on to the next one; an authorized attempt does not.
    private static let referencesTwice = """
        WITH named AS (
          SELECT DISTINCT payment, body::jsonb->>'attempt' AS attempt, body::jsonb->>'reference' AS reference
          FROM event WHERE name = 'attempt.authorized' AND body LIKE '{%}'
        )
        SELECT reference, payment, min(attempt), max(attempt) FROM named WHERE reference IS NOT NULL
        GROUP BY payment, reference HAVING count(*) > 1 LIMIT 100
        """

    private static let references = """
        WITH named AS (
          SELECT DISTINCT payment, body::jsonb->>'attempt' AS attempt, body::jsonb->>'reference' AS reference
          FROM event WHERE name IN ('attempt.prepared', 'attempt.authorized') AND body LIKE '{%}'
        ), provided AS (
          SELECT DISTINCT named.payment, reference, (
            SELECT body::jsonb->>'provider' FROM event
            WHERE event.payment = named.payment AND name = 'attempt.started'
            AND body::jsonb->>'attempt' = named.attempt LIMIT 1) AS provider
          FROM named WHERE reference IS NOT NULL
        )
        SELECT provider, reference, min(payment), max(payment) FROM provided
        GROUP BY provider, reference HAVING count(*) > 1 LIMIT 100
        """

    /// Checks that the tallies match the actual counts.
    private func checkTallies(_ pass: inout VerificationPass) throws(PostgresFailure) {
        let rows = try query(
            """
            SELECT name, sum(counted)::bigint, sum(tallied)::bigint FROM (
              SELECT 'payment ' || status AS name, count(*) AS counted, 0 AS tallied FROM payment GROUP BY status
              UNION ALL SELECT 'outbox', count(*), 0 FROM outbox
              UNION ALL SELECT name, 0, count FROM tally
            ) AS counts GROUP BY name HAVING sum(counted) <> sum(tallied)
            """)
        for row in rows {
            pass.problem("the tally of “\(row.text(0))” is \(row.int(2)), and there are \(row.int(1))")
        }
    }

    /// Checks that no entry is dated in the future.
    private func checkMoments(_ latest: Timestamp, _ pass: inout VerificationPass) throws(PostgresFailure) {
        let checks = [
            (
                "SELECT 'event ' || sequence || ' (' || payment || ')', at FROM event WHERE at > $1 ORDER BY sequence",
                "happened"
            ),
            ("SELECT 'the idempotency key ' || key, created_at FROM idempotency WHERE created_at > $1", "came"),
            ("SELECT 'the webhook ' || id || ' of ' || provider, at FROM webhook WHERE at > $1", "came"),
        ]
        for (sql, verb) in checks {
            for row in try query(sql + " LIMIT 100", [.int(latest.milliseconds)]) {
                pass.misdated("\(row.text(0)) \(verb) in the future, at \(Timestamp(milliseconds: row.int(1)))")
            }
        }
    }
}
