import GRDBSQLite
import TillJournal

/// An error returned by SQLite.
struct SQLiteFailure: Error {
    /// The extended result code.
    let code: Int32
    /// SQLite's message, which contains no values, or Till's own.
    let message: String
    private let isOurs: Bool

    init(code: Int32, on database: OpaquePointer) {
        self.code = code
        message = sqlite3_errmsg(database).map { String(cString: $0) } ?? "no reason given"
        isOurs = false
    }

    /// Creates an error without a connection.
    init(code: Int32) {
        self.code = code
        message = sqlite3_errstr(code).map { String(cString: $0) } ?? "no reason given"
        isOurs = false
    }

    /// Creates an error for data that SQLite reads successfully but that is invalid.
    init(damage: String) {
        code = SQLITE_CORRUPT
        message = damage
        isOurs = true
    }

    /// `true` if another connection has locked the file.
    var isBusy: Bool { code & 0xFF == SQLITE_BUSY }

    /// `true` if the disk is full. The transaction is rolled back.
    var isFull: Bool { code & 0xFF == SQLITE_FULL }

    var journalError: JournalError {
        if isOurs { return .corrupted(message) }
        return switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupted("SQLite says: \(message) (\(code))")
        case SQLITE_FULL: .full("SQLite says: \(message)")
        default: .unavailable("SQLite says: \(message) (\(code))")
        }
    }
}

/// A value to bind to a statement.
enum SQLiteValue {
    case null
    case int(Int64)
    case text(String)
    case utf8([UInt8])
    case blob([UInt8])

    /// The number of bytes required in addition to the statement.
    var size: Int {
        switch self {
        case .null, .int: 0
        case .text(let text): text.utf8.count
        case .utf8(let bytes), .blob(let bytes): bytes.count
        }
    }

    static func optional(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }
    static func optional(_ value: Int64?) -> SQLiteValue { value.map { .int($0) } ?? .null }
}

/// A statement prepared once and run many times, directly on SQLite: the writer runs some hundred thousand a second.
/// Used on the writer's queue only.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init(_ sql: String, on database: OpaquePointer) throws(SQLiteFailure) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw SQLiteFailure(code: code, on: database) }
        handle = prepared
        self.database = database
    }

    deinit {
        sqlite3_finalize(handle)
        memory.deallocate()
    }

    /// Runs the statement to completion.
    func run(_ values: SQLiteValue...) throws(SQLiteFailure) { try run(values) }

    /// Runs the statement to completion.
    func run(_ values: [SQLiteValue]) throws(SQLiteFailure) {
        defer { sqlite3_reset(handle) }
        try bind(values)
        while try step() {}
    }

    /// Runs the statement to completion, discarding its rows.
    func drain() throws(SQLiteFailure) {
        defer { sqlite3_reset(handle) }
        while try step() {}
    }

    /// Runs the statement and reads all its rows.
    func all<Result>(
        _ values: [SQLiteValue], read: (SQLiteStatement) -> Result
    ) throws(SQLiteFailure) -> [Result] {
        defer { sqlite3_reset(handle) }
        try bind(values)
        var results: [Result] = []
        while try step() { results.append(read(self)) }
        return results
    }

    /// Runs the statement and hands out its rows until `read` returns `false`.
    func each(_ values: [SQLiteValue], read: (SQLiteStatement) -> Bool) throws(SQLiteFailure) {
        defer { sqlite3_reset(handle) }
        try bind(values)
        while try step(), read(self) {}
    }

    /// Runs the statement and reads its first row; `nil` if there is none.
    func first<Result>(
        _ values: [SQLiteValue] = [], read: (SQLiteStatement) -> Result
    ) throws(SQLiteFailure) -> Result? {
        defer { sqlite3_reset(handle) }
        try bind(values)
        return try step() ? read(self) : nil
    }

    /// Runs the statement with one value and reads its first row; `nil` if there is none. Each write looks up several
    /// rows so: up to three values need no array.
    func first<Result>(
        _ value: SQLiteValue, read: (SQLiteStatement) -> Result
    ) throws(SQLiteFailure) -> Result? {
        defer { sqlite3_reset(handle) }
        var rest = room(for: value.size)
        try bind(value, 1, &rest)
        return try step() ? read(self) : nil
    }

    /// Runs the statement with two values and reads its first row; `nil` if there is none.
    func first<Result>(
        _ first: SQLiteValue, _ second: SQLiteValue, read: (SQLiteStatement) -> Result
    ) throws(SQLiteFailure) -> Result? {
        defer { sqlite3_reset(handle) }
        var rest = room(for: first.size + second.size)
        try bind(first, 1, &rest)
        try bind(second, 2, &rest)
        return try step() ? read(self) : nil
    }

    /// Runs the statement with three values and reads its first row; `nil` if there is none.
    func first<Result>(
        _ first: SQLiteValue, _ second: SQLiteValue, _ third: SQLiteValue, read: (SQLiteStatement) -> Result
    ) throws(SQLiteFailure) -> Result? {
        defer { sqlite3_reset(handle) }
        var rest = room(for: first.size + second.size + third.size)
        try bind(first, 1, &rest)
        try bind(second, 2, &rest)
        try bind(third, 3, &rest)
        return try step() ? read(self) : nil
    }

    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInt(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : int(column)
    }

    func text(_ column: Int32) -> String { String(decoding: buffer(column), as: UTF8.self) }

    func optionalText(_ column: Int32) -> String? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : text(column)
    }

    func bytes(_ column: Int32) -> [UInt8] { Array(buffer(column)) }

    func optionalBytes(_ column: Int32) -> [UInt8]? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : bytes(column)
    }

    /// Returns SQLite's own bytes of a column, to be read before the next step; empty for NULL.
    func bytesInPlace(_ column: Int32) -> UnsafeBufferPointer<UInt8> { buffer(column).bindMemory(to: UInt8.self) }

    /// SQLite's own bytes of a column, until the next step; empty for NULL.
    private func buffer(_ column: Int32) -> UnsafeRawBufferPointer {
        guard let start = sqlite3_column_blob(handle, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    private func step() throws(SQLiteFailure) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteFailure(code: sqlite3_extended_errcode(database), on: database)
        }
    }

    /// Binds all values.
    private func bind(_ values: [SQLiteValue]) throws(SQLiteFailure) {
        var size = 0
        for value in values { size += value.size }
        var rest = room(for: size)
        var index: Int32 = 0
        for value in values {
            index += 1
            try bind(value, index, &rest)
        }
    }

    /// Returns the statement's buffer, with room for the bytes of all values of a run. They are copied into it, and it
    /// is unchanged until the next run.
    private func room(for size: Int) -> Slice<UnsafeMutableRawBufferPointer> {
        if size > memory.count {
            memory.deallocate()
            memory = .allocate(byteCount: max(1_024, size * 2), alignment: 1)
        }
        return memory[...]
    }

    private func bind(
        _ value: SQLiteValue, _ index: Int32, _ rest: inout Slice<UnsafeMutableRawBufferPointer>
    ) throws(SQLiteFailure) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(handle, index)
            case .int(let value): sqlite3_bind_int64(handle, index, value)
            case .text(var text): text.withUTF8 { bind(UnsafeRawBufferPointer($0), isText: true, index, &rest) }
            case .utf8(let bytes): bytes.withUnsafeBytes { bind($0, isText: true, index, &rest) }
            case .blob(let bytes): bytes.withUnsafeBytes { bind($0, isText: false, index, &rest) }
            }
        guard code == SQLITE_OK else { throw SQLiteFailure(code: code, on: database) }
    }

    private func bind(
        _ bytes: UnsafeRawBufferPointer, isText: Bool, _ index: Int32,
        _ rest: inout Slice<UnsafeMutableRawBufferPointer>
    ) -> Int32 {
        guard !bytes.isEmpty, let start = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(bytes.count)).baseAddress
        else { return isText ? sqlite3_bind_text(handle, index, "", 0, nil) : sqlite3_bind_zeroblob(handle, index, 0) }
        UnsafeMutableRawBufferPointer(rebasing: rest.prefix(bytes.count)).copyMemory(from: bytes)
        rest = rest.dropFirst(bytes.count)
        let count = sqlite3_uint64(bytes.count)
        // No destructor: SQLite neither copies nor frees the buffer.
        return isText
            ? sqlite3_bind_text64(handle, index, start, count, nil, UInt8(SQLITE_UTF8))
            : sqlite3_bind_blob64(handle, index, start, count, nil)
    }
}
