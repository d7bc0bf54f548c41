import GRDBSQLite
import TillCore
import TillJournal

/// The record store's part of a write, in the same transaction.
extension SQLiteWriter {
    /// Returns the conflict of the first change that expects another version of its record.
    func refusal(of changes: [RecordChange]) throws(SQLiteFailure) -> JournalError? {
        for change in changes {
            guard let id = change.id, let expected = change.expectedVersion else { continue }
            if expected == 0, id == absent { continue }
            let current = try statement("SELECT version FROM record WHERE collection = ? AND key = ?")
                .first(.text(id.collection.rawValue), .text(id.key)) { Int(clamping: $0.int(0)) }
            guard (current ?? 0) == expected else { return .recordConflict(id, current: current ?? 0) }
            if current == nil, absent == nil, change.isCondition { absent = id }
        }
        return nil
    }

    /// Applies changes that passed the check; retention changes come last.
    /// - Parameter forgets: `true` if the clock is trusted to determine expiry.
    func apply(_ changes: [RecordChange], now: Timestamp, forgets: Bool) throws(SQLiteFailure) {
        for change in changes {
            switch change {
            case .insert(let record), .insertIfAbsent(let record): try insert(record, now: now)
            case .update(let record, _): try update(record, now: now)
            case .delete(_, from: 0): continue
            case .delete(let id, _), .remove(let id):
                try statement("DELETE FROM record WHERE collection = ? AND key = ?")
                    .run(.text(id.collection.rawValue), .text(id.key))
            case .forget, .keepNewest: continue
            }
        }
        for change in changes {
            switch change {
            case .forget(let collection, let moment):
                guard forgets else { continue }
                try statement(
                    """
                    DELETE FROM record WHERE position IN (
                      SELECT position FROM record WHERE collection = ? AND due_at <= ? ORDER BY due_at, position LIMIT \
                      ?)
                    """
                ).run(
                    .text(collection.rawValue), .int(moment.milliseconds), .int(Int64(RecordLimits.maximumForgotten)))
            case .keepNewest(let limit, let collection, let match):
                try forget(beyond: max(0, limit), collection, match)
            case .insert, .insertIfAbsent, .update, .delete, .remove: continue
            }
        }
    }

    private func insert(_ record: Record, now: Timestamp) throws(SQLiteFailure) {
        try statement(
            """
            INSERT INTO record(collection, key, version, body, due_at, owner, created_at, updated_at)
            VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?6) ON CONFLICT(collection, key) DO NOTHING
            """
        ).run(
            .text(record.id.collection.rawValue), .text(record.id.key), .blob(record.body),
            .optional(record.due?.milliseconds), record.isHeld ? .int(owner) : .null, .int(now.milliseconds))
        guard sqlite3_changes(connection.handle) > 0 else { return }
        try index(record, at: sqlite3_last_insert_rowid(connection.handle))
    }

    private func update(_ record: Record, now: Timestamp) throws(SQLiteFailure) {
        let position = try statement(
            """
            UPDATE record SET version = version + 1, body = ?3, due_at = ?4, owner = ?5, updated_at = ?6
            WHERE collection = ?1 AND key = ?2 RETURNING position
            """
        ).first([
            .text(record.id.collection.rawValue), .text(record.id.key), .blob(record.body),
            .optional(record.due?.milliseconds), record.isHeld ? .int(owner) : .null, .int(now.milliseconds),
        ]) { $0.int(0) }
        guard let position, try !isIndexed(record, at: position) else { return }
        try statement("DELETE FROM record_field WHERE record = ?").run(.int(position))
        try index(record, at: position)
    }

    /// `true` if the index has the fields of a record already, byte for byte, and no others.
    private func isIndexed(_ record: Record, at position: Int64) throws(SQLiteFailure) -> Bool {
        let known = try statement("SELECT name, value FROM record_field WHERE record = ?")
            .all([.int(position)]) { (name: $0.text(0), value: $0.text(1)) }
        return known.count == record.fields.count
            && known.allSatisfy { field in
                // Not looked up by name: a dictionary finds a name in other bytes, too.
                record.fields.contains { name, value in
                    name.utf8.elementsEqual(field.name.utf8) && value.utf8.elementsEqual(field.value.utf8)
                }
            }
    }

    private func index(_ record: Record, at position: Int64) throws(SQLiteFailure) {
        for (name, value) in record.fields {
            try statement("INSERT INTO record_field(collection, name, value, record) VALUES (?, ?, ?, ?)")
                .run(.text(record.id.collection.rawValue), .text(name), .text(value), .int(position))
        }
    }

    private func forget(
        beyond limit: Int, _ collection: RecordCollection, _ match: RecordMatch?
    ) throws(SQLiteFailure) {
        let (column, from, values) = SQLiteRecords.positions(collection, match)
        let count =
            try statement(text: "SELECT count(*) FROM \(from)").all(values) { Int(clamping: $0.int(0)) }.first ?? 0
        let surplus = min(count - limit, RecordLimits.maximumForgotten)
        guard surplus > 0 else { return }
        let positions = try statement(text: "SELECT \(column) FROM \(from) ORDER BY \(column) LIMIT ?")
            .all(values + [.int(Int64(surplus))]) { $0.int(0) }
        for position in positions { try statement("DELETE FROM record WHERE position = ?").run(.int(position)) }
    }
}

/// The queries for records, shared by the writer, point readers and lists.
enum SQLiteRecords {
    static let columns = """
        record.key, record.version, record.body, record.due_at, record.owner, record.created_at, record.updated_at,
        record.position
        """
    /// The query for a record.
    static let selectOne = "SELECT \(columns) FROM record WHERE collection = ? AND key = ?"

    /// Returns the query for the positions in a collection, or of its records with a field value: a column, its table
    /// with the condition, and the values. Served from one index, in order.
    static func positions(
        _ collection: RecordCollection, _ match: RecordMatch?
    ) -> (column: String, from: String, values: [SQLiteValue]) {
        guard let match else { return ("position", "record WHERE collection = ?", [.text(collection.rawValue)]) }
        return (
            "record", "record_field WHERE collection = ? AND name = ? AND value = ?",
            [.text(collection.rawValue), .text(match.field), .text(match.value)]
        )
    }

    /// Returns the query for a list.
    static func list(_ query: RecordQuery) -> (sql: String, values: [SQLiteValue]) {
        var sql = "SELECT \(columns) FROM record WHERE record.collection = ?"
        var values: [SQLiteValue] = [.text(query.collection.rawValue)]
        var position = "record.position"
        if let match = query.match {
            sql = """
                SELECT \(columns) FROM record_field JOIN record ON record.position = record_field.record
                WHERE record_field.collection = ? AND record_field.name = ? AND record_field.value = ?
                """
            values += [.text(match.field), .text(match.value)]
            position = "record_field.record"
        }
        switch query.order {
        case .oldestFirst(let after):
            sql += " AND \(position) > ? ORDER BY \(position)"
            values.append(.int(after ?? .min))
        case .newestFirst(let before):
            sql += " AND \(position) < ? ORDER BY \(position) DESC"
            values.append(.int(before ?? .max))
        case .due(let moment):
            sql += " AND record.due_at <= ? ORDER BY record.due_at, \(position)"
            values.append(.int(moment.milliseconds))
        }
        return (sql + " LIMIT ?", values + [.int(Int64(query.boundedLimit))])
    }
}
