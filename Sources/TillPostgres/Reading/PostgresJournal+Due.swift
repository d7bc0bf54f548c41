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
                  OR (owner <> $1 AND NOT EXISTS (SELECT 1 FROM counter_live WHERE counter_live.owner = outbox.owner)))
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
        let bytes = (0..<JournalLimits.largestUsualAnswer).map { _ in UInt8.random(in: .min ... .max) }
        let isWritten = try await run(on: keeper) { (connection) throws(PostgresFailure) in
            try !connection.query("UPDATE probe SET body = $1 WHERE id = 1 RETURNING id", [.bytes(bytes)]).isEmpty
        }
        guard isWritten else { throw .corrupted("the row that is written as a probe is missing") }
    }
}
