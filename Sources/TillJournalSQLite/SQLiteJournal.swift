import Dispatch
import Foundation
import GRDB
public import TillCore
public import TillJournal

/// The journal in one SQLite file: embedded, for any number of processes on one machine.
///
/// ```swift
/// import TillJournal
///
/// let journal = try SQLiteJournal.open(at: ".till/journal.sqlite")
/// let newest = try await journal.payments(PaymentFilter(account: .main, limit: 20))
/// for row in newest { print(row.orderNumber, row.status.rawValue, row.captured) }
/// try await journal.close()
/// ```
///
/// A write is durable when it returns: a write-ahead log with a sync of every commit, and one commit for all writes
/// queued during the previous one. Readers see the last commit and never wait for the writer. A process that dies loses
/// no acknowledged write, and its work passes to the others at once; that of a stalled process passes on when its lease
/// ends (`JournalLimits.processLease`), after which it writes nothing more. All methods may be called from any task.
/// Writes, lists and checks run on their own threads; a read of one payment or one key runs on the caller's thread and
/// waits for no lock. Not for network file systems.
public final class SQLiteJournal: CounterStore {
    let pool: DatabasePool
    let clock: any TillClock
    let points: PointReaders
    let ballast: Ballast
    let heads: HeadFile?
    private let writer: GroupCommit
    private let owners: OwnerFile
    let lease: Lease

    private init(
        pool: DatabasePool, clock: any TillClock, points: PointReaders, ballast: Ballast, heads: HeadFile?,
        writer: GroupCommit, owners: OwnerFile, lease: Lease
    ) {
        self.pool = pool
        self.clock = clock
        self.points = points
        self.ballast = ballast
        self.heads = heads
        self.writer = writer
        self.owners = owners
        self.lease = lease
    }

    /// Opens the journal, creating it if necessary, with folder and file accessible only by the owner. A file that is
    /// an earlier copy of the journal previously in place opens, but accepts no sales (`RestoreSweep`).
    /// - Parameters:
    ///   - path: the file; `-wal`, `-shm`, `-owners`, `-ballast` and `-head` are stored beside it.
    ///   - clock: the clock by which idempotency keys expire.
    ///   - maximumQueuedWrites: the maximum number of waiting writes; further ones are refused.
    ///   - description: a description of the process, shown when the file is inspected.
    ///   - onCommit: called with the events of each commit, in journal order and before the writes return, on the
    ///     writer's thread: it must be quick.
    ///   - length: the time for which this process may stall before others take over what it holds.
    ///   - renewsLease: `true` to renew the lease automatically; otherwise the owner must.
    ///   - monotonic: the clock for leases, which advances evenly and is never set.
    ///   - onLease: called when this process takes over from another one, and when it has lost its own lease. It must
    ///     be quick.
    /// - Throws: `JournalError.unavailable` or `JournalError.corrupted`, including for a file of a newer
    ///   version and for an unfinished restore.
    public static func open(
        at path: String, clock: any TillClock = SystemClock(),
        maximumQueuedWrites: Int = JournalLimits.maximumQueuedWrites, description: String = "till",
        onCommit: (@Sendable ([StoredEvent]) -> Void)? = nil, lease length: Span = JournalLimits.processLease,
        renewsLease: Bool = true, monotonic: @escaping @Sendable () -> Span = SystemClock.reading,
        onLease: (@Sendable (LeaseNotice) -> Void)? = nil
    ) throws(JournalError) -> SQLiteJournal {
        do {
            try prepareFile(path)
            let owners = try OwnerFile.open(path + "-owners")
            var owner: Int64?
            do {
                let pool = try owners.alone {
                    try RestoreFiles(path).checkFinished()
                    let note = HeadFile.read(path + "-head")
                    let pool = try openPool(path, owners)
                    try checkSetBack(pool, note, at: clock.now())
                    let number = try pool.write { db in
                        try db.execute(
                            sql: "INSERT INTO process(started_at, description) VALUES (?, ?)",
                            arguments: [clock.now().milliseconds, description])
                        return db.lastInsertedRowID
                    }
                    // Before other processes may open it: a restore never finds a journal in use without its lock.
                    try owners.take(number)
                    owner = number
                    return pool
                }
                guard let owner else { throw JournalError.unavailable("it gave this process no number") }
                let start = try pool.read { db in
                    try Row.fetchOne(db, sql: "SELECT start FROM journal WHERE id = 1")?.octets(0)
                }
                let heads = start.flatMap { HeadFile(path + "-head", start: $0) }
                let lease = Lease(owners, number: owner, length: length, monotonic: monotonic, onNotice: onLease)
                let ballast = Ballast(path: path + "-ballast")
                _ = ballast.take()
                let writer: GroupCommit
                do throws(SQLiteFailure) {
                    writer = GroupCommit(
                        writer: try SQLiteWriter(path: path, owner: owner, heads: heads) { lease.isAlive($0) },
                        lease: lease, checkpointer: LogCheckpointer(path: path), clock: clock,
                        ballast: ballast, maximumQueuedWrites: max(1, maximumQueuedWrites), onCommit: onCommit)
                } catch { throw error.journalError }
                let journal = SQLiteJournal(
                    pool: pool, clock: clock, points: PointReaders(path: path), ballast: ballast, heads: heads,
                    writer: writer, owners: owners, lease: lease)
                if renewsLease { journal.keepLease() }
                return journal
            } catch {
                owners.release(owner)
                throw error
            }
        } catch { throw JournalError(storage: error) }
    }

    /// Reads the level of the journal in a file; changes nothing, and creates no file.
    /// - Throws: `JournalError`, also for a file of another program or a newer Till.
    public static func level(at path: String) throws(JournalError) -> JournalLevel {
        do {
            guard FileManager.default.fileExists(atPath: path) else {
                return JournalLevel(found: 0, newest: SQLiteSchema.version, missing: SQLiteSchema.migrator.migrations)
            }
            var configuration = Configuration()
            configuration.readonly = true
            let file = try DatabaseQueue(path: path, configuration: configuration)
            let level = try file.read { db in
                try SQLiteSchema.check(db, path: path)
                return try SQLiteSchema.level(db)
            }
            try file.close()
            return level
        } catch { throw JournalError(storage: error) }
    }

    deinit { if !writer.isClosed { owners.release(lease.number) } }

    private static func prepareFile(_ path: String) throws {
        let files = FileManager.default
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if !files.fileExists(atPath: folder) {
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        if !files.fileExists(atPath: path) {
            // Another process may just have created it.
            guard ClosedFile.make(path) || files.fileExists(atPath: path) else {
                throw JournalError.unavailable("\(path) cannot be made")
            }
        }
    }

    private static func openPool(_ path: String, _ owners: OwnerFile) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        configuration.label = "till.journal"
        // Each of the readers would otherwise keep twice as much; what they read again is in the system's cache.
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = -1024") }
        // A foreign file is examined before anything in it is changed.
        let probe = try DatabaseQueue(path: path, configuration: configuration)
        try probe.read { db in
            try SQLiteSchema.check(db, path: path)
            for owner in try SQLiteSchema.ownersOfEarlierSchema(db) where owners.isAlive(owner) {
                throw JournalError.unavailable("a Till of an earlier version has it open; end that one first")
            }
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        // Only now: the last connection to close copies the log that a killed process left into the file, and removes
        // it.
        try probe.close()
        if try pool.read({ try !SQLiteSchema.migrator.hasCompletedMigrations($0) }) {
            try SQLiteSchema.migrator.migrate(pool)
            // The log of a migration is as large as its changes; it is truncated now, not during a sale. That of a new
            // journal is nearly four times its file: on a small disk no space for answers would be left.
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
        try SQLiteSchema.chainOlderEvents(pool)
        try pool.writeWithoutTransaction { db in
            // FULL: a commit is on the disk when it returns.
            for pragma in [
                "synchronous = FULL", "fullfsync = 1", "checkpoint_fullfsync = 1", "wal_autocheckpoint = 8192",
                "journal_size_limit = 67108864", "temp_store = MEMORY", "secure_delete = ON",
            ] { try db.execute(sql: "PRAGMA \(pragma)") }
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
                throw JournalError.unavailable("SQLite does not sync every commit")
            }
        }
        return pool
    }

    /// Commits queued writes, checkpoints the log and closes the file. Later calls throw `JournalError.closed`.
    /// Everything this process holds is released. Call it once.
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
        owners.release(lease.number)
        try result.get()
    }

    var isClosed: Bool { writer.isClosed }

    public var path: String { pool.path }

    /// Statistics of the writer since the journal was opened.
    public var statistics: JournalStatistics { writer.statistics }

    /// Writes atomically; see `Journal.write`.
    public func write(_ write: JournalWrite) async throws(JournalError) {
        try await writer.write(try PreparedWrite(write, encodes: true))
    }

    /// Runs on a reader thread, in one snapshot.
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

    /// Runs in its own transaction, outside the writer's thread.
    /// - Throws: `JournalError.leaseLost` if another process has taken over.
    func writeAlone<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalError) -> Value {
        guard !writer.isClosed else { throw .closed }
        let lease = lease
        let result: Result<Value, JournalError> = await withCheckedContinuation { done in
            pool.asyncWriteWithoutTransaction { db in
                do {
                    var value: Value?
                    try db.inTransaction(.immediate) {
                        guard try !SQLiteJournal.isFenced(lease.number, db) else {
                            lease.lose()
                            throw JournalError.leaseLost
                        }
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

    func isAlive(_ number: Int64) -> Bool { lease.isAlive(number) }
    var ownNumber: Int64 { lease.number }
}

extension JournalError {
    /// Maps any error of the storage to a journal error.
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
