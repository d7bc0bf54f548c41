public import TillJournal
import TillCore

extension PostgresJournal {
    private static let columns = """
        record.key, record.version, record.body, record.due_at, record.owner, record.created_at, record.updated_at,
        record.position, till_lives(record.owner)
        """

    /// Returns the current state of a record; `nil` if there is none.
    public func record(_ id: RecordID) async throws(JournalError) -> KeptRecord? {
        try await records(
            "SELECT \(PostgresJournal.columns) FROM record WHERE collection = $1 AND key = $2",
            [.text(id.collection.rawValue), .text(id.key)], id.collection
        ).first
    }

    /// Returns records of a collection, from a single snapshot.
    public func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
        var sql = "SELECT \(PostgresJournal.columns) FROM record WHERE record.collection = $1"
        var values: [PostgresValue] = [.text(query.collection.rawValue)]
        var position = "record.position"
        if let match = query.match {
            sql = """
                SELECT \(PostgresJournal.columns) FROM record_field JOIN record ON record.position = record_field.record
                WHERE record_field.collection = $1 AND record_field.name = $2 AND record_field.value = $3
                """
            values += [.text(match.field), .text(match.value)]
            position = "record_field.record"
        }
        let next = values.count + 1
        switch query.order {
        case .oldestFirst(let after):
            sql += " AND \(position) > $\(next) ORDER BY \(position)"
            values.append(.int(after ?? .min))
        case .newestFirst(let before):
            sql += " AND \(position) < $\(next) ORDER BY \(position) DESC"
            values.append(.int(before ?? .max))
        case .due(let moment):
            sql += " AND record.due_at <= $\(next) ORDER BY record.due_at, \(position)"
            values.append(.int(moment.milliseconds))
        }
        return try await records(
            sql + " LIMIT $\(next + 1)", values + [.int(Int64(query.boundedLimit))], query.collection)
    }

    /// Returns the number of records.
    public func count(_ collection: RecordCollection, matching match: RecordMatch?) async throws(JournalError) -> Int {
        try await read { (connection) throws(PostgresFailure) in
            let rows: [PostgresRow]
            if let match {
                rows = try connection.query(
                    "SELECT count(*) FROM record_field WHERE collection = $1 AND name = $2 AND value = $3",
                    [.text(collection.rawValue), .text(match.field), .text(match.value)])
            } else {
                rows = try connection.query(
                    "SELECT count(*) FROM record WHERE collection = $1", [.text(collection.rawValue)])
            }
            return Int(clamping: rows.first?.int(0) ?? 0)
        }
    }

    private func records(
        _ sql: String, _ values: [PostgresValue], _ collection: RecordCollection
    ) async throws(JournalError) -> [KeptRecord] {
        let rows = try await read { (connection) throws(PostgresFailure) in try connection.query(sql, values) }
        return rows.map { row in
            KeptRecord(
                id: RecordID(collection, row.text(0)), version: Int(clamping: row.int(1)), body: row.bytes(2),
                due: row.optionalInt(3).map { Timestamp(milliseconds: $0) },
                holder: RecordHolder(owner: row.optionalInt(4), reader: lease.owner) { _ in row.bool(8) },
                createdAt: Timestamp(milliseconds: row.int(5)), updatedAt: Timestamp(milliseconds: row.int(6)),
                position: row.int(7))
        }
    }
}
