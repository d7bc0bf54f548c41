public import TillJournal
import TillCore

extension PostgresJournal {
    /// Returns entries in the order of the query.
    public func auditEntries(_ query: AuditQuery) async throws(JournalError) -> AuditPage {
        var page = AuditPage()
        var (after, before, left) = (query.after, query.before, AuditLimits.maximumRead)
        while left > 0 {
            let limit = min(left, PostgresLimits.surveyPage)
            let rows = try await auditRows(after: after, before: before, limit: limit)
            for row in rows {
                let sequence = row.int(0)
                guard try page.add(sequence: sequence, body: row.bytes(1), link: row.bytes(2), query) else {
                    return page
                }
                if before == nil { after = sequence } else { before = sequence }
            }
            guard rows.count == limit else { return page }
            left -= limit
        }
        page.stop(behind: before ?? after)
        return page
    }

    /// Returns rows of the log: the newest first if `before` is given.
    private func auditRows(after: Int64, before: Int64?, limit: Int) async throws(JournalError) -> [PostgresRow] {
        try await read { (connection) throws(PostgresFailure) -> [PostgresRow] in
            guard let before else {
                return try connection.query(AuditColumns.select, [.int(after), .int(Int64(limit))])
            }
            return try connection.query(AuditColumns.selectNewest, [.int(after), .int(before), .int(Int64(limit))])
        }
    }

    public func auditStanding() async throws(JournalError) -> AuditStanding {
        let row = try await read { (connection) throws(PostgresFailure) in
            try connection.query(AuditColumns.standing).first
        }
        guard let row else { throw .corrupted("the row that says where its audit log ends is missing") }
        return AuditStanding(row)
    }

    /// Removes the oldest entries past the retention and notes the removal, in one command. It does nothing if an entry
    /// was added meanwhile.
    static func purgeAudit(_ connection: PostgresConnection, at now: Timestamp) throws(PostgresFailure) {
        let oldest = now.adding(Span(milliseconds: -AuditLimits.retention.milliseconds))
        guard let row = try connection.query(AuditColumns.standing).first else { return }
        let standing = AuditStanding(row)
        // In order, up to the first entry to keep: a clock that was behind leaves no gap.
        let old = try connection.query(
            """
            SELECT sequence, link FROM audit WHERE sequence > $1 AND sequence < coalesce((
              SELECT min(sequence) FROM audit WHERE sequence > $1 AND sequence <= $2 AND at >= $3), $2 + 1)
            ORDER BY sequence DESC LIMIT 1
            """,
            [
                .int(standing.base.sequence), .int(standing.base.sequence + Int64(AuditLimits.maximumPurged)),
                .int(oldest.milliseconds),
            ]
        ).first
        guard let old else { return }
        let base = ChainHead(sequence: old.int(0), hash: old.bytes(1))
        let entry = AuditEntry(
            .purged(from: standing.base.sequence + 1, to: base.sequence), at: now, after: standing.head)
        _ = try connection.query(
            """
            WITH moved AS (
              UPDATE audit_log SET base = $1, base_link = $2, sequence = $3, head = $4
              WHERE id = 1 AND base = $5 AND sequence = $6 AND head = $7 RETURNING id),
            gone AS (DELETE FROM audit WHERE sequence <= $1 AND EXISTS (SELECT 1 FROM moved))
            INSERT INTO audit(sequence, at, body, link) SELECT $3, $8, $9, $4 FROM moved RETURNING sequence
            """,
            [
                .int(base.sequence), .bytes(base.hash), .int(entry.sequence), .bytes(entry.link),
                .int(standing.base.sequence), .int(standing.head.sequence), .bytes(standing.head.hash),
                .int(now.milliseconds), .text(String(decoding: entry.body, as: UTF8.self)),
            ])
    }
}

/// The queries of the audit log, with the columns in reading order.
enum AuditColumns {
    static let select = "SELECT sequence, body, link FROM audit WHERE sequence > $1 ORDER BY sequence LIMIT $2"
    static let selectNewest =
        "SELECT sequence, body, link FROM audit WHERE sequence > $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3"
    static let standing = "SELECT base, base_link, sequence, head FROM audit_log WHERE id = 1"
}

extension AuditStanding {
    /// Reads a row of ``AuditColumns/standing``.
    init(_ row: PostgresRow) {
        self.init(
            base: ChainHead(sequence: row.int(0), hash: row.bytes(1)),
            head: ChainHead(sequence: row.int(2), hash: row.bytes(3)))
    }
}
