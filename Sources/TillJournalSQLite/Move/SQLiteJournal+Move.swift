import Foundation
import GRDB
import TillCore
package import TillJournal

extension SQLiteJournal: MovableJournal {
    package func rows(
        of table: JournalTable, after key: [JournalCell]?, limit: Int
    ) async throws(JournalError) -> [[JournalCell]] {
        let columns = table.columns.map { $0.kind == .text ? "CAST(\($0.name) AS BLOB)" : $0.name }
        let names = table.key.map(\.name).joined(separator: ", ")
        let places = table.key.map { SQLiteJournal.parameter($0) }.joined(separator: ", ")
        let condition = key == nil ? "" : "WHERE (\(names)) > (\(places))"
        let sql = """
            SELECT \(columns.joined(separator: ", ")) FROM \(table.name) \(condition) ORDER BY \(names) LIMIT \(limit)
            """
        return try await read { db in
            try Row.fetchAll(db, sql: sql, arguments: StatementArguments((key ?? []).map(\.databaseValue))).map { row in
                table.columns.indices.map { JournalCell(row[$0]) }
            }
        }
    }

    package func insert(_ rows: [[JournalCell]], into table: JournalTable) async throws(JournalError) {
        let places = table.columns.map { SQLiteJournal.parameter($0) }.joined(separator: ", ")
        let sql = "INSERT INTO \(table.name)(\(table.list)) VALUES (\(places))"
        try await writeAlone { db in
            let statement = try db.cachedStatement(sql: sql)
            for row in rows { try statement.execute(arguments: StatementArguments(row.map(\.databaseValue))) }
        }
    }

    package func anchors() async throws(JournalError) -> JournalAnchors {
        try await read { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT start, epoch, sequence, head FROM journal WHERE id = 1")
            else { throw JournalError.corrupted("the row that says where its chain ends is missing") }
            return JournalAnchors(
                start: row.octets(0), epoch: row[1], head: ChainHead(sequence: row[2], hash: row.octets(3)),
                audit: try SQLiteJournal.auditStanding(db))
        }
    }

    package func adopt(_ anchors: JournalAnchors) async throws(JournalError) {
        try await writeAlone { db in
            let (columns, counts) = (
                PaymentStatus.allCases.map { Tally.payments($0).column },
                PaymentStatus.allCases.map { "count(*) FILTER (WHERE status = '\($0.rawValue)')" }
            )
            try db.execute(
                sql: """
                    UPDATE journal SET (\(columns.joined(separator: ", "))) =
                      (SELECT \(counts.joined(separator: ", ")) FROM payment) WHERE id = 1;
                    UPDATE journal SET \(Tally.pending.column) = (SELECT count(*) FROM outbox) WHERE id = 1;
                    """)
            try db.execute(
                sql: "UPDATE journal SET start = ?, epoch = ?, sequence = ?, head = ?, chained = 1 WHERE id = 1",
                arguments: [Data(anchors.start), anchors.epoch, anchors.head.sequence, Data(anchors.head.hash)])
            try db.execute(
                sql: "UPDATE audit_log SET base = ?, base_link = ?, sequence = ?, head = ? WHERE id = 1",
                arguments: [
                    anchors.audit.base.sequence, Data(anchors.audit.base.hash), anchors.audit.head.sequence,
                    Data(anchors.audit.head.hash),
                ])
        }
    }

    private static func parameter(_ column: JournalTable.Column) -> String {
        column.kind == .text ? "CAST(? AS TEXT)" : "?"
    }
}

extension JournalCell {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .int(number)
        case .double(let number): self = Int64(exactly: number).map { .int($0) } ?? .null
        case .string(let text): self = .bytes(Array(text.utf8))
        case .blob(let data): self = .bytes(Array(data))
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .int(let number): number.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        }
    }
}
