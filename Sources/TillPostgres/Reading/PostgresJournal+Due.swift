public import TillCore
public import TillJournal

extension PostgresJournal {
    /// Returns payments with work due, the most overdue first.
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

    /// Claims payments, in one commit that does not wait: rows locked by another session are skipped.
    ///
    /// The row of the counter's own lease is locked meanwhile, so that no claim is made under a lease presumed dead. A
    /// claim names a counter and is valid for as long as that counter's lease. Payments left by a dead counter are due
    /// immediately, and stay due if released.
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

    /// Releases a payment that this counter holds.
    public func release(_ payment: PaymentID) async throws(JournalError) {
        let owner = lease.owner
        _ = try await run(on: keeper) { (connection) throws(PostgresFailure) in
            try connection.query(
                "UPDATE outbox SET owner = NULL WHERE payment = $1 AND owner = $2 RETURNING payment",
                [.text(payment.rawValue), .int(owner)])
        }
    }

    /// Returns outbox entries due after `place`, earliest first.
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

    /// Returns the time of the last event.
    public func newestMoment() async throws(JournalError) -> Timestamp? {
        try await read { (connection) throws(PostgresFailure) in
            try connection.query("SELECT at FROM event ORDER BY sequence DESC LIMIT 1").first
                .map { Timestamp(milliseconds: $0.int(0)) }
        }
    }

    /// Returns the payments by status and the pending work, from counts maintained with each commit.
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

    /// Proves that the journal accepts writes, by committing as many bytes as an answer needs.
    public func checkWriting() async throws(JournalError) {
        let bytes = (0..<JournalLimits.largestCommonAnswer).map { _ in UInt8.random(in: .min ... .max) }
        let isWritten = try await run(on: keeper) { (connection) throws(PostgresFailure) in
            try !connection.query("UPDATE probe SET body = $1 WHERE id = 1 RETURNING id", [.bytes(bytes)]).isEmpty
        }
        guard isWritten else { throw .corrupted("the row that is written as a probe is missing") }
    }
}
