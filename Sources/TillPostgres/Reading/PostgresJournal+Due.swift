public import TillCore
public import TillJournal

extension PostgresJournal {
    /// Payments on which something is to be done, the most overdue first.
    public func due(
        at moment: Timestamp, after place: OutboxPlace?, limit: Int
    ) async throws(JournalError) -> [DuePayment] {
        let owner = lease.owner
        let values: [PostgresValue] = [
            .int(owner), .int(moment.milliseconds), .int(place?.moment?.milliseconds ?? .min),
            .text(place?.payment.rawValue ?? ""), .int(Int64(max(limit, 0))),
        ]
        let rows = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                SELECT outbox.payment, due_at, (SELECT provider FROM payment WHERE id = outbox.payment) FROM outbox
                WHERE (((owner IS NULL OR owner = $1) AND due_at <= $2)
                  OR (owner <> $1 AND NOT till_lives(owner)))
                  AND (coalesce(due_at, -9223372036854775808), outbox.payment) > ($3, $4)
                ORDER BY coalesce(due_at, -9223372036854775808), outbox.payment LIMIT $5
                """, values)
        }
        return rows.map { row in
            DuePayment(
                payment: PaymentID(rawValue: row.text(0)),
                provider: row.optionalText(2).map { ProviderName(rawValue: $0) },
                moment: row.optionalInt(1).map { Timestamp(milliseconds: $0) })
        }
    }

    /// Takes payments to work on, in one commit that waits for nobody: what another session has its hand on is skipped.
    ///
    /// The row of the counter's own lease is locked meanwhile, so that nothing is claimed in the name of one that is
    /// taken for dead. Who holds a claim is the number of a counter, and it is good for as long as that one's lease.
    /// What a dead one has left is due at once, and stays so if it is given back.
    public func claim(_ payments: [PaymentID], at moment: Timestamp) async throws(JournalError) -> Set<PaymentID> {
        guard !payments.isEmpty else { return [] }
        guard !lease.isLost else { throw .leaseLost }
        let owner = lease.owner
        let values: [PostgresValue] = [
            .int(owner), .int(moment.milliseconds), .array(payments.map { Array($0.rawValue.utf8) }, of: .text),
        ]
        let rows = try await run(on: keeper) { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                WITH free AS MATERIALIZED (
                  SELECT payment, owner IS NOT NULL AND owner <> $1 AS is_left FROM outbox
                  WHERE payment = ANY($3)
                    AND (((owner IS NULL OR owner = $1) AND due_at <= $2) OR (owner <> $1 AND NOT till_lives(owner)))
                  FOR UPDATE SKIP LOCKED),
                fence AS MATERIALIZED (
                  SELECT owner FROM counter_live WHERE owner = $1 AND EXISTS (SELECT 1 FROM free) FOR KEY SHARE),
                claimed AS (
                  UPDATE outbox SET owner = $1,
                    due_at = CASE WHEN is_left THEN least(coalesce(due_at, $2), $2) ELSE due_at END
                  FROM free WHERE outbox.payment = free.payment AND EXISTS (SELECT 1 FROM fence)
                  RETURNING outbox.payment)
                SELECT payment, true FROM claimed
                UNION ALL SELECT NULL, NOT EXISTS (SELECT 1 FROM free) OR EXISTS (SELECT 1 FROM fence)
                """, values)
        }
        guard rows.contains(where: { $0.optionalText(0) == nil && $0.bool(1) }) else {
            lease.lose()
            throw .leaseLost
        }
        return Set(rows.compactMap { $0.optionalText(0).map { PaymentID(rawValue: $0) } })
    }

    /// Gives a payment back that this counter holds.
    public func release(_ payment: PaymentID) async throws(JournalError) {
        let owner = lease.owner
        _ = try await run(on: keeper) { (connection) throws(PostgresFailure) in
            try connection.query(
                "UPDATE outbox SET owner = NULL WHERE payment = $1 AND owner = $2 RETURNING payment",
                [.text(payment.rawValue), .int(owner)])
        }
    }

    /// What is planned behind a place of the outbox, the earliest first.
    public func planned(after place: OutboxPlace, limit: Int) async throws(JournalError) -> [OutboxPlace] {
        let values: [PostgresValue] = [
            .int(place.moment?.milliseconds ?? .min), .text(place.payment.rawValue), .int(Int64(max(limit, 0))),
        ]
        let rows = try await read { (connection) throws(PostgresFailure) in
            try connection.query(
                """
                SELECT due_at, payment FROM outbox WHERE (due_at, payment) > ($1, $2) AND due_at IS NOT NULL
                ORDER BY due_at, payment LIMIT $3
                """, values)
        }
        return rows.map {
            OutboxPlace(moment: Timestamp(milliseconds: $0.int(0)), payment: PaymentID(rawValue: $0.text(1)))
        }
    }

    /// The time of the entry that was written last.
    public func newestMoment() async throws(JournalError) -> Timestamp? {
        try await read { (connection) throws(PostgresFailure) in
            try connection.query("SELECT at FROM event ORDER BY sequence DESC LIMIT 1").first
                .map { Timestamp(milliseconds: $0.int(0)) }
        }
    }

    /// How many payments there are by status, and what is pending: as counted along with the commits.
    public func metrics(at moment: Timestamp) async throws(JournalError) -> JournalMetrics {
        let (tallies, due) = try await read { (connection) throws(PostgresFailure) in
            (
                try connection.query("SELECT name, count FROM tally"),
                try connection.query(
                    "SELECT count(*), min(due_at) FROM outbox WHERE due_at <= $1", [.int(moment.milliseconds)]
                ).first
            )
        }
        let counts = Dictionary(tallies.map { ($0.text(0), Int(clamping: $0.int(1))) }) { first, _ in first }
        var metrics = JournalMetrics()
        for status in PaymentStatus.allCases {
            metrics.payments[status] = counts["payment " + status.rawValue]
        }
        metrics.pending = counts["outbox"] ?? 0
        metrics.due = Int(clamping: due?.int(0) ?? 0)
        metrics.oldestDue = due?.optionalInt(1).map { Timestamp(milliseconds: $0) }
        return metrics
    }

    /// Proves that the journal takes writes: commits as many bytes as an answer needs.
    public func checkWriting() async throws(JournalError) {
        let bytes = (0..<JournalLimits.largestCommonAnswer).map { _ in UInt8.random(in: .min ... .max) }
        let isWritten = try await run(on: keeper) { (connection) throws(PostgresFailure) in
            try !connection.query("UPDATE probe SET body = $1 WHERE id = 1 RETURNING id", [.bytes(bytes)]).isEmpty
        }
        guard isWritten else { throw .corrupted("the row that is written as a probe is missing") }
    }
}
