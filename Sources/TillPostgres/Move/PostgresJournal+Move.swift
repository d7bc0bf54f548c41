import TillCore
package import TillJournal

extension PostgresJournal: MovableJournal {
    package func rows(
        of table: JournalTable, after key: [JournalCell]?, limit: Int
    ) async throws(JournalError) -> [[JournalCell]] {
        let names = table.key.map(\.name).joined(separator: ", ")
        let places = table.key.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let condition = key == nil ? "" : "WHERE (\(names)) > (\(places))"
        let sql = "SELECT \(table.list) FROM \(table.name) \(condition) ORDER BY \(names) LIMIT \(limit)"
        let values = zip(key ?? [], table.key).map { PostgresValue($0, $1.kind) }
        let rows = try await read { (connection) throws(PostgresFailure) in
            try connection.query(sql, values, within: PostgresLimits.longAnswerTime)
        }
        return rows.map { row in table.columns.enumerated().map { JournalCell(row, $0, $1.kind) } }
    }

    package func insert(_ rows: [[JournalCell]], into table: JournalTable) async throws(JournalError) {
        let values = table.columns.enumerated().map { index, column in
            PostgresValue.array(rows.map { PostgresValue($0[index], column.kind).encoded }, of: column.kind.type)
        }
        let places = table.columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        // The positions of records are preserved, instead of those that the table would assign.
        let sql = """
            INSERT INTO \(table.name)(\(table.list)) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(\(places))
            """
        try await run(on: keeper) { (connection) throws(PostgresFailure) in
            _ = try connection.query(sql, values, within: PostgresLimits.longAnswerTime)
        }
    }

    package func anchors() async throws(JournalError) -> JournalAnchors {
        let row = try await read { (connection) throws(PostgresFailure) in
            try connection.query("SELECT start, epoch, sequence, head FROM journal WHERE id = 1").first
        }
        guard let row else { throw .corrupted("the row that says where its chain ends is missing") }
        return JournalAnchors(
            start: row.bytes(0), epoch: row.int(1), head: ChainHead(sequence: row.int(2), hash: row.bytes(3)),
            audit: try await auditStanding())
    }

    package func adopt(_ anchors: JournalAnchors) async throws(JournalError) {
        let values: [PostgresValue] = [
            .bytes(anchors.start), .int(anchors.epoch), .int(anchors.head.sequence), .bytes(anchors.head.hash),
            .int(anchors.audit.base.sequence), .bytes(anchors.audit.base.hash), .int(anchors.audit.head.sequence),
            .bytes(anchors.audit.head.hash),
        ]
        try await run(on: keeper) { (connection) throws(PostgresFailure) in
            _ = try connection.query("DELETE FROM tally")
            _ = try connection.query(
                """
                INSERT INTO tally(name, count)
                SELECT 'payment ' || status, count(*) FROM payment GROUP BY status
                UNION ALL SELECT 'outbox', count(*) FROM outbox
                """, within: PostgresLimits.longAnswerTime)
            _ = try connection.query(
                """
                WITH chain AS (UPDATE journal SET start = $1, epoch = $2, sequence = $3, head = $4 WHERE id = 1),
                log AS (UPDATE audit_log SET base = $5, base_link = $6, sequence = $7, head = $8 WHERE id = 1)
                SELECT setval(pg_get_serial_sequence('record', 'position'),
                  (SELECT coalesce(max(position), 0) + 1 FROM record), false)
                """, values)
        }
    }
}

extension JournalTable.Kind {
    fileprivate var type: PostgresValue.OID {
        switch self {
        case .int: .int8
        case .text: .text
        case .blob: .bytea
        case .flag: .bool
        }
    }
}

extension PostgresValue {
    fileprivate init(_ cell: JournalCell, _ kind: JournalTable.Kind) {
        switch (cell, kind) {
        case (.null, _): self = .null(kind.type)
        case (.int(let number), .flag): self = .bool(number != 0)
        case (.int(let number), _): self = .int(number)
        case (.bytes(let bytes), .text): self = .utf8(bytes)
        case (.bytes(let bytes), _): self = .bytes(bytes)
        }
    }
}

extension JournalCell {
    fileprivate init(_ row: PostgresRow, _ index: Int, _ kind: JournalTable.Kind) {
        guard let bytes = row.optionalBytes(index) else {
            self = .null
            return
        }
        switch kind {
        case .int: self = .int(row.int(index))
        case .flag: self = .int(row.bool(index) ? 1 : 0)
        case .text, .blob: self = .bytes(bytes)
        }
    }
}
