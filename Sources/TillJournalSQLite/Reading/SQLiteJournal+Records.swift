import Foundation
import GRDB
import TillCore
public import TillJournal

extension SQLiteJournal {
    /// Returns the current state of a record; `nil` if there is none.
    public func record(_ id: RecordID) async throws(JournalError) -> KeptRecord? {
        try await records(
            SQLiteRecords.selectOne, [.text(id.collection.rawValue), .text(id.key)], of: id.collection
        ).first
    }

    /// Returns records of a collection, in one snapshot.
    public func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
        let (sql, values) = SQLiteRecords.list(query)
        return try await records(sql, values, of: query.collection)
    }

    /// Returns the number of records.
    public func count(_ collection: RecordCollection, matching match: RecordMatch?) async throws(JournalError) -> Int {
        let (_, from, values) = SQLiteRecords.positions(collection, match)
        return try await read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM \(from)", arguments: StatementArguments(values)) ?? 0
        }
    }

    /// Reads records, on this thread if possible.
    private func records(
        _ sql: String, _ values: [SQLiteValue], of collection: RecordCollection
    ) async throws(JournalError) -> [KeptRecord] {
        let found = try point { (reader) throws(SQLiteFailure) in
            try reader.statement(sql).all(values) { KeptRecord($0, of: collection, holder: holder) }
        }
        if let found { return found }
        return try await read { [self] db in
            try Row.fetchAll(db.cachedStatement(sql: sql), arguments: StatementArguments(values))
                .map { KeptRecord($0, of: collection, holder: holder) }
        }
    }

    private func holder(_ owner: Int64?) -> RecordHolder {
        RecordHolder(owner: owner, reader: ownNumber) { isAlive($0) }
    }
}

extension KeptRecord {
    /// Creates a record from a row of ``SQLiteRecords/columns``.
    fileprivate init(_ row: SQLiteStatement, of collection: RecordCollection, holder: (Int64?) -> RecordHolder) {
        self.init(
            id: RecordID(collection, row.text(0)), version: Int(clamping: row.int(1)), body: row.bytes(2),
            due: row.optionalInt(3).map { Timestamp(milliseconds: $0) }, holder: holder(row.optionalInt(4)),
            createdAt: Timestamp(milliseconds: row.int(5)), updatedAt: Timestamp(milliseconds: row.int(6)),
            position: row.int(7))
    }

    /// Creates a record from a row of ``SQLiteRecords/columns``.
    fileprivate init(_ row: Row, of collection: RecordCollection, holder: (Int64?) -> RecordHolder) {
        self.init(
            id: RecordID(collection, row[0]), version: Int(clamping: row[1] as Int64), body: row.octets(2),
            due: (row[3] as Int64?).map { Timestamp(milliseconds: $0) }, holder: holder(row[4]),
            createdAt: Timestamp(milliseconds: row[5]), updatedAt: Timestamp(milliseconds: row[6]), position: row[7])
    }
}

extension StatementArguments {
    fileprivate init(_ values: [SQLiteValue]) {
        self.init(
            values.map { value -> DatabaseValue in
                switch value {
                case .null: .null
                case .int(let number): number.databaseValue
                case .text(let text): text.databaseValue
                case .utf8(let bytes): String(decoding: bytes, as: UTF8.self).databaseValue
                case .blob(let bytes): Data(bytes).databaseValue
                }
            })
    }
}
