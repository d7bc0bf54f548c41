import GRDBSQLite

/// A connection of our own to the journal's file, straight on SQLite, for the few statements that run for every
/// payment. Schema, lists, checks and backups go through GRDB.
///
/// Used by one thread at a time: whoever has it sees to that.
final class SQLiteConnection: @unchecked Sendable {
    let handle: OpaquePointer
    /// Pages in the write-ahead log after the last commit of this connection. SQLite writes here.
    private let logPages: UnsafeMutablePointer<Int32>
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens a file that is there.
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
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// The statement, prepared at its first use.
    func statement(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        let statement = try SQLiteStatement(sql, on: handle)
        statements[sql] = statement
        return statement
    }

    // MARK: The log

    /// From now on no commit copies the log into the file by itself; ``pagesInLog`` says when somebody should.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPages)
    }

    /// Pages in the log after the last commit of this connection.
    var pagesInLog: Int { Int(logPages.pointee) }

    /// Copies the log into the file as far as no reader needs it, and waits for nobody. Several may try at once.
    func checkpoint() {
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
