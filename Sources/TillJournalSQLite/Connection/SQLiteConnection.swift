import GRDBSQLite
import TillJournal

/// A direct SQLite connection to the journal's file, for the few statements that run for every payment. Schema, lists,
/// checks and backups use GRDB.
///
/// Used by one thread at a time, which the owner must ensure.
final class SQLiteConnection: @unchecked Sendable {
    let handle: OpaquePointer
    /// The number of pages in the write-ahead log after the last commit of this connection, written by SQLite.
    private let logPages: UnsafeMutablePointer<Int32>
    private var statements: [String: SQLiteStatement] = [:]
    /// The statements of literals, by where their text is.
    private var literals: [Literal: SQLiteStatement] = [:]

    /// The place of a literal's text. It identifies the text: the bytes of a literal are in the program's constants,
    /// which are neither changed nor unloaded while it runs, so the same place and length are always the same bytes.
    /// The length is a part of it so that this holds wherever a linker puts literals, also one inside another.
    private struct Literal: Hashable {
        let start: UnsafePointer<UInt8>
        let count: Int

        init(_ text: StaticString) { (start, count) = (text.utf8Start, text.utf8CodeUnitCount) }
    }

    /// Opens an existing file.
    init(_ path: String, readOnly: Bool, pragmas: [String]) throws(SQLiteFailure) {
        var opened: OpaquePointer?
        let flags = (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let failure = opened.map { SQLiteFailure(code: code, on: $0) } ?? SQLiteFailure(code: code)
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        logPages = .allocate(capacity: 1)
        logPages.initialize(to: 0)
        sqlite3_extended_result_codes(handle, 1)
        for pragma in pragmas { try statement("PRAGMA " + pragma).drain() }
        statements = [:]
    }

    deinit {
        statements = [:]
        literals = [:]
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// Returns the statement, prepared on first use.
    func statement(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        let statement = try SQLiteStatement(sql, on: handle)
        statements[sql] = statement
        return statement
    }

    /// Returns the statement of a literal, prepared on first use. It is found by where the literal is: hashing some
    /// hundred bytes of text costs as much as many a statement.
    func statement(literal sql: StaticString) throws(SQLiteFailure) -> SQLiteStatement {
        let literal = Literal(sql)
        if let statement = literals[literal] { return statement }
        let statement = try SQLiteStatement(sql.description, on: handle)
        literals[literal] = statement
        return statement
    }

    // MARK: The log

    /// Disables automatic checkpoints; ``pagesInLog`` then shows when one is needed.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
    }

    /// The number of pages in the log after the last commit of this connection.
    var pagesInLog: Int { Int(logPages.pointee) }

    /// Checkpoints the log as far as no reader needs it, without waiting. Concurrent calls are allowed.
    /// - Returns: `true` if all that was in the log is in the file.
    @discardableResult
    func checkpoint() -> Bool {
        var (pages, copied): (Int32, Int32) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied)
        return code == SQLITE_OK && pages == copied
    }

    /// Checkpoints the whole log and cuts its file to no length, waiting for others as long as `busy_timeout` says.
    /// Writers wait meanwhile.
    /// - Returns: `false` if others needed the log for longer.
    func emptyLog() -> Bool {
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
    }
}
