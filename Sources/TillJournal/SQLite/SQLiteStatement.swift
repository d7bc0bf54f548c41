import GRDBSQLite

/// What SQLite answered instead of doing what it was asked.
struct SQLiteFailure: Error {
    /// The extended result code.
    let code: Int32
    /// SQLite's sentence; it holds no values.
    let message: String

    init(code: Int32, on database: OpaquePointer) {
        self.code = code
        message = sqlite3_errmsg(database).map { String(cString: $0) } ?? "no reason given"
    }

    /// Where there is not even a connection.
    init(code: Int32) {
        self.code = code
        message = sqlite3_errstr(code).map { String(cString: $0) } ?? "no reason given"
    }

    /// Somebody else holds the file.
    var isBusy: Bool { code & 0xFF == SQLITE_BUSY }

    var journalError: JournalError {
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupted("SQLite says: \(message) (\(code))")
        default: .unavailable("SQLite says: \(message) (\(code))")
        }
    }
}

/// A value for a statement.
enum SQLiteValue {
    case null
    case int(Int64)
    case text(String)
    case utf8([UInt8])
    case blob([UInt8])

    static func optional(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }
    static func optional(_ value: Int64?) -> SQLiteValue { value.map { .int($0) } ?? .null }
}

/// A statement prepared once and run many times, straight on SQLite: the writer runs some hundred thousand a second.
/// Used on the writer's queue only.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: OpaquePointer

    init(_ sql: String, on database: OpaquePointer) throws(SQLiteFailure) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw SQLiteFailure(code: code, on: database) }
        handle = prepared
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs it to the end.
    func run(_ values: SQLiteValue...) throws(SQLiteFailure) {
        defer { sqlite3_reset(handle) }
        try bind(values)
        while try step() {}
    }

    /// Runs it to the end, whatever rows it has.
    func drain() throws(SQLiteFailure) {
        defer { sqlite3_reset(handle) }
        while try step() {}
    }

    /// Runs it and reads all its rows.
    func all<Result>(
        _ values: [SQLiteValue], read: (SQLiteStatement) -> Result
    ) throws(SQLiteFailure) -> [Result] {
        defer { sqlite3_reset(handle) }
        try bind(values)
        var results: [Result] = []
        while try step() { results.append(read(self)) }
        return results
    }

    /// Runs it and reads its first row; `nil` if it has none.
    func first<Result>(
        _ values: SQLiteValue..., read: (SQLiteStatement) -> Result
    ) throws(SQLiteFailure) -> Result? {
        defer { sqlite3_reset(handle) }
        try bind(values)
        return try step() ? read(self) : nil
    }

    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInt(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : int(column)
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func optionalText(_ column: Int32) -> String? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : text(column)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    private func step() throws(SQLiteFailure) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteFailure(code: sqlite3_extended_errcode(database), on: database)
        }
    }

    private func bind(_ values: [SQLiteValue]) throws(SQLiteFailure) {
        var index: Int32 = 0
        for value in values {
            index += 1
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, index)
                case .int(let value): sqlite3_bind_int64(handle, index, value)
                case .text(let text): bind(text, at: index)
                case .utf8(let bytes): bytes.withUnsafeBytes { bindText($0, at: index) }
                case .blob(let bytes): bytes.withUnsafeBytes { bindBlob($0, at: index) }
                }
            guard code == SQLITE_OK else { throw SQLiteFailure(code: code, on: database) }
        }
    }

    private func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bindText(UnsafeRawBufferPointer($0), at: index) }
    }

    private func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        guard let start = bytes.bindMemory(to: CChar.self).baseAddress, !bytes.isEmpty else {
            return sqlite3_bind_text(handle, index, "", 0, SQLiteStatement.copies)
        }
        return sqlite3_bind_text64(
            handle, index, start, sqlite3_uint64(bytes.count), SQLiteStatement.copies, UInt8(SQLITE_UTF8))
    }

    private func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
        return sqlite3_bind_blob64(handle, index, start, sqlite3_uint64(bytes.count), SQLiteStatement.copies)
    }

    /// SQLITE_TRANSIENT: SQLite takes a copy.
    private static var copies: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
