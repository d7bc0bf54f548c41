import Dispatch
import Foundation
import GRDB
public import TillCore

/// The journal in one SQLite file: embedded, for any number of processes on one machine.
///
/// A write is on the disk when it returns: write-ahead log with a sync of every commit, one commit for all that
/// queued while the last one was under way. Readers see the last commit and never wait for the writer. A process that
/// dies loses nothing that was acknowledged, and what it was working on is handed to the others at once. All methods
/// may be called from any task. Writes, lists and checks have threads of their own; a read of one payment or one key
/// runs on the caller's thread and waits for no lock. Not for network file systems.
public final class SQLiteJournal: CounterStore {
    let pool: DatabasePool
    let clock: any TillClock
    let points: PointReaders
    let ballast: Ballast
    private let writer: GroupCommit
    private let owners: OwnerFile
    private let owner: Int64

    private init(
        pool: DatabasePool, clock: any TillClock, points: PointReaders, ballast: Ballast, writer: GroupCommit,
        owners: OwnerFile, owner: Int64
    ) {
        self.pool = pool
        self.clock = clock
        self.points = points
        self.ballast = ballast
        self.writer = writer
        self.owners = owners
        self.owner = owner
    }

    /// Opens the journal, and makes it if there is none: its folder for the owner only, its file too.
    /// - Parameters:
    ///   - path: the file; `-wal`, `-shm`, `-owners` and `-ballast` lie beside it.
    ///   - clock: the time by which idempotency keys expire.
    ///   - maximumQueuedWrites: more waiting writes than this are refused.
    ///   - description: who opens it, for people who look into the file.
    ///   - onCommit: called with the events of each commit, in the order of the journal and before the writes return,
    ///     on the writer's thread: it must be quick.
    /// - Throws: ``JournalError/unavailable(_:)`` or ``JournalError/corrupted(_:)``, also for a file of a newer Till.
    public static func open(
        at path: String, clock: any TillClock = SystemClock(),
        maximumQueuedWrites: Int = JournalLimits.maximumQueuedWrites, description: String = "till",
        onCommit: (@Sendable ([StoredEvent]) -> Void)? = nil
    ) throws(JournalError) -> SQLiteJournal {
        do {
            try prepareFile(path)
            let owners = try OwnerFile.open(path + "-owners")
            var owner: Int64?
            do {
                let pool = try owners.alone {
                    let pool = try openPool(path, owners)
                    owner = try pool.write { db in
                        try db.execute(
                            sql: "INSERT INTO process(started_at, description) VALUES (?, ?)",
                            arguments: [clock.now().milliseconds, description])
                        return db.lastInsertedRowID
                    }
                    return pool
                }
                guard let owner else { throw JournalError.unavailable("it gave this process no number") }
                try owners.take(owner)
                let ballast = Ballast(path: path + "-ballast")
                _ = ballast.take()
                let writer: GroupCommit
                do throws(SQLiteFailure) {
                    writer = GroupCommit(
                        writer: try SQLiteWriter(path: path, owner: owner, isAlive: { owners.isAlive($0) }),
                        checkpointer: LogCheckpointer(path: path), clock: clock,
                        ballast: ballast, maximumQueuedWrites: max(1, maximumQueuedWrites), onCommit: onCommit)
                } catch { throw error.journalError }
                return SQLiteJournal(
                    pool: pool, clock: clock, points: PointReaders(path: path), ballast: ballast, writer: writer,
                    owners: owners, owner: owner)
            } catch {
                owners.release(owner)
                throw error
            }
        } catch { throw JournalError(storage: error) }
    }

    deinit { if !writer.isClosed { owners.release(owner) } }

    private static func prepareFile(_ path: String) throws {
        let files = FileManager.default
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if !files.fileExists(atPath: folder) {
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        if !files.fileExists(atPath: path) {
            guard files.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
                throw JournalError.unavailable("\(path) cannot be made")
            }
        }
    }

    private static func openPool(_ path: String, _ owners: OwnerFile) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        configuration.label = "till.journal"
        // A file that is not ours is examined before anything of it is changed.
        let probe = try DatabaseQueue(path: path, configuration: configuration)
        try probe.read { db in
            try SQLiteSchema.check(db, path: path)
            for owner in try SQLiteSchema.ownersOfEarlierSchema(db) where owners.isAlive(owner) {
                throw JournalError.unavailable("a Till of an earlier version has it open; end that one first")
            }
        }
        try probe.close()
        let pool = try DatabasePool(path: path, configuration: configuration)
        if try pool.read({ try !SQLiteSchema.migrator.hasCompletedMigrations($0) }) {
            try SQLiteSchema.migrator.migrate(pool)
            // The log of a migration is as large as what it changed; it goes now, not when somebody sells.
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
        try SQLiteSchema.chainOlderEvents(pool)
        try pool.writeWithoutTransaction { db in
            // FULL: a commit is on the disk when it returns.
            for pragma in [
                "synchronous = FULL", "fullfsync = 1", "checkpoint_fullfsync = 1", "wal_autocheckpoint = 8192",
                "journal_size_limit = 67108864", "temp_store = MEMORY",
            ] { try db.execute(sql: "PRAGMA \(pragma)") }
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
                throw JournalError.unavailable("SQLite does not sync every commit")
            }
        }
        return pool
    }

    /// Commits what is queued, copies the log into the file and closes it. Later calls throw
    /// ``JournalError/closed``. What this process still holds is free for others. Call it once.
    public func close() async throws(JournalError) {
        guard !writer.isClosed else { return }
        let (pool, writer, points) = (pool, writer, points)
        let result: Result<Void, JournalError> = await withCheckedContinuation { done in
            DispatchQueue.global().async {
                writer.close()
                points.close()
                do {
                    _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
                    try pool.close()
                    done.resume(returning: .success(()))
                } catch { done.resume(returning: .failure(JournalError(storage: error))) }
            }
        }
        owners.release(owner)
        try result.get()
    }

    var isClosed: Bool { writer.isClosed }

    public var path: String { pool.path }

    /// How the writer has done since the journal was opened.
    public var statistics: JournalStatistics { writer.statistics }

    /// Writes all of it or nothing; see ``Journal/write(_:)``.
    public func write(_ write: JournalWrite) async throws(JournalError) {
        try await writer.write(try PreparedWrite(write, encodes: true))
    }

    /// Runs on a reader's thread, in one snapshot.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalError) -> Value {
        guard !writer.isClosed else { throw .closed }
        let result: Result<Value, JournalError> = await withCheckedContinuation { done in
            pool.asyncRead { db in
                do { done.resume(returning: .success(try body(try db.get()))) } catch {
                    done.resume(returning: .failure(JournalError(storage: error)))
                }
            }
        }
        return try result.get()
    }

    /// Runs in a transaction of its own, beside the writer's thread.
    func writeAlone<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalError) -> Value {
        guard !writer.isClosed else { throw .closed }
        let result: Result<Value, JournalError> = await withCheckedContinuation { done in
            pool.asyncWriteWithoutTransaction { db in
                do {
                    var value: Value?
                    try db.inTransaction(.immediate) {
                        value = try body(db)
                        return .commit
                    }
                    guard let value else { throw JournalError.unavailable("nothing was written") }
                    done.resume(returning: .success(value))
                } catch { done.resume(returning: .failure(JournalError(storage: error))) }
            }
        }
        return try result.get()
    }

    func isAlive(_ number: Int64) -> Bool { owners.isAlive(number) }
    var ownNumber: Int64 { owner }
}

extension JournalError {
    /// Any error of the storage in our words.
    init(storage error: any Error) {
        switch error {
        case let error as JournalError: self = error
        case let error as DatabaseError:
            let text = "SQLite says: \(error.message ?? "no reason given") (\(error.extendedResultCode.rawValue))"
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupted(text)
            case .SQLITE_FULL: self = .full(text)
            default: self = .unavailable(text)
            }
        default: self = .unavailable("\(error)")
        }
    }
}
