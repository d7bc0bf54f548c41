import Dispatch
import Foundation
import Synchronization
public import TillCore
public import TillJournal

/// The journal in a database of PostgreSQL 15 or newer, for any number of counters on any number of machines.
///
/// ```swift
/// let journal = try PostgresJournal.open(at: "postgresql://till@db1,db2/till", files: ".till/shop")
/// let standing = try await journal.standing()
/// for finding in standing.findings where !finding.isFine { print(finding.text) }
/// try await journal.close()
/// ```
///
/// A write is committed on return, with the server's `synchronous_commit` at least `on`; writes queued during a commit
/// share the next one. It is as durable as the server: on its disk, and on a standby if `synchronous_standby_names`
/// names one. A crash of a counter loses nothing acknowledged, and its work in progress passes to the other counters:
/// immediately if one of them runs on the same machine, otherwise once its lease has expired. A commit without an
/// answer is resolved with a query, and a write fails with ``JournalError/unavailable(_:)`` only if no server answers.
/// All methods may be called from any task; each session has a thread of its own.
public final class PostgresJournal: CounterStore {
    let clock: any TillClock
    let lease: PostgresLease
    let readers: PostgresThreads
    let keeper: PostgresThreads
    let address: String
    /// The file that notes the journal's head on this machine; `nil` if it cannot be created.
    let heads: HeadFile?
    private let writer: PostgresWriter
    /// The exchange of hints; `nil` if hints are not requested.
    private let hints: PostgresHints?
    /// The path prefix of the files that a counter keeps on its own machine.
    public let path: String
    let watch = LeaseWatch()
    let nextPurge = Mutex(Timestamp(milliseconds: .min))

    private init(
        _ address: String, files: String, heads: HeadFile?, lease: PostgresLease, clock: any TillClock,
        maximumQueuedWrites: Int,
        onCommit: (@Sendable ([StoredEvent]) -> Void)?, hints: PostgresHints?
    ) {
        self.hints = hints
        (self.address, path, self.heads, self.lease, self.clock) = (address, files, heads, lease, clock)
        readers = PostgresThreads(address, .read, name: "till.journal.read", count: PostgresLimits.readers)
        keeper = PostgresThreads(address, .work, name: "till.journal.lease")
        writer = PostgresWriter(
            address: address, lease: lease, clock: clock, heads: heads,
            maximumQueuedWrites: max(1, maximumQueuedWrites),
            onCommit: PostgresJournal.telling(hints, after: onCommit))
    }

    /// Combines the callbacks of the writer: this process is notified of a commit before the other counters.
    private static func telling(
        _ hints: PostgresHints?, after onCommit: (@Sendable ([StoredEvent]) -> Void)?
    ) -> (@Sendable ([StoredEvent]) -> Void)? {
        guard let hints else { return onCommit }
        return { events in
            onCommit?(events)
            hints.committed(events)
        }
    }

    /// Opens the journal, creating its tables if there are none. Blocks until the database has answered.
    /// - Parameters:
    ///   - address: a libpq address without a password: that is in `~/.pgpass` or the file that PGPASSFILE names.
    ///   - files: the path prefix of the counter's own files; their folder is created.
    ///   - clock: the clock for the expiry of idempotency keys. Leases use the database's.
    ///   - description: a description of the process, for inspection of the database.
    ///   - onCommit: called with the events of each commit, in journal order and before the writes return, on the
    ///     writer's thread: it must be fast.
    ///   - onHint: called after commits of other counters, with the accounts concerned (`nil`: any), on a thread of its
    ///     own. A hint may be lost, so consumers of events also poll.
    ///   - length: the time that this process may be stalled before others take over its payments.
    ///   - renewsLease: `true` to renew the lease automatically.
    ///   - onLease: called when this process takes over from another one, and when it has lost its own lease.
    /// - Throws: ``JournalError/unavailable(_:)`` with the server's reason, also for one that is older than 15, is a
    ///   standby, or requires a password; ``JournalError/corrupted(_:)`` for tables of a newer Till.
    public static func open(
        at address: String, files: String, clock: any TillClock = SystemClock(),
        maximumQueuedWrites: Int = JournalLimits.maximumQueuedWrites, description: String = "till",
        onCommit: (@Sendable ([StoredEvent]) -> Void)? = nil,
        onHint: (@Sendable (Set<AccountID>?) -> Void)? = nil, lease length: Span = JournalLimits.processLease,
        renewsLease: Bool = true, monotonic: @escaping @Sendable () -> Span = SystemClock.reading,
        onLease: (@Sendable (LeaseNotice) -> Void)? = nil
    ) throws(JournalError) -> PostgresJournal {
        try makeFolder(of: files)
        let owner: Int64
        let start: [UInt8]
        do throws(PostgresFailure) {
            let connection = try PostgresConnection(address, .survey)
            try PostgresSchema.prepare(connection)
            if let note = HeadFile.read(files + "-head") { try checkSetBack(connection, note, at: clock.now()) }
            owner = try register(connection, description, length)
            start = try connection.query("SELECT start FROM journal WHERE id = 1").first?.bytes(0) ?? []
        } catch { throw error.journalError }
        let lease = PostgresLease(owner: owner, length: length, monotonic: monotonic, onNotice: onLease)
        let hints = try onHint.map { (onHint) throws(JournalError) in
            try PostgresHints(address, channel: hintChannel(start), owner: owner, onHint: onHint)
        }
        let journal = PostgresJournal(
            address, files: files, heads: HeadFile(files + "-head", start: start), lease: lease, clock: clock,
            maximumQueuedWrites: maximumQueuedWrites, onCommit: onCommit, hints: hints)
        if renewsLease { journal.keepLease() }
        return journal
    }

    /// Reads the level of the journal in a database; changes nothing.
    /// - Throws: ``JournalError``, also for tables of a newer Till.
    public static func level(at address: String) throws(JournalError) -> JournalLevel {
        do throws(PostgresFailure) { return try PostgresSchema.level(try PostgresConnection(address, .survey)) } catch {
            throw error.journalError
        }
    }

    /// Returns the channel of one journal, distinct even with several in a database.
    static func hintChannel(_ start: [UInt8]) -> String { "till_" + Hex.lowercase(start.prefix(16)) }

    private static func makeFolder(of files: String) throws(JournalError) {
        let folder = URL(fileURLWithPath: files).deletingLastPathComponent().path
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw .unavailable("the folder \(folder) for its files cannot be made: \(error)") }
    }

    /// Assigns the counter a number, and takes over from counters that are proved dead.
    private static func register(
        _ connection: PostgresConnection, _ description: String, _ length: Span
    ) throws(PostgresFailure) -> Int64 {
        try buryProved(connection)
        let here = ProcessPlace.current
        let row = try connection.query(
            """
            WITH new AS (
              INSERT INTO counter(description, place, pid, pid_started, started_at)
              VALUES ($1, $2, $3, $4, till_clock()) RETURNING owner)
            INSERT INTO counter_live(owner, session, batch, lease_until)
            SELECT owner, 0, 0, till_clock() + $5 FROM new RETURNING owner
            """,
            [
                .text(description), .optional(here.place), .int(here.pid), .optional(here.started),
                .int(length.milliseconds),
            ]
        ).first
        guard let row else { throw PostgresFailure(.unexpected, "the database gave this process no number") }
        return row.int(0)
    }

    /// Commits queued writes and ends the sessions. Later calls throw ``JournalError/closed``. Releases the payments
    /// that this process still holds. Call it once.
    public func close() async throws(JournalError) {
        guard !writer.isClosed else { return }
        let writer = writer
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                writer.close()
                done.resume()
            }
        }
        let owner = lease.owner
        let left = await keeper.run { connection in
            Result { () throws(PostgresFailure) in
                _ = try connection.query(
                    """
                    WITH left_now AS (DELETE FROM counter_live WHERE owner = $1 RETURNING owner)
                    UPDATE counter SET ended_at = till_clock(), how = 'stopped'
                    FROM left_now WHERE counter.owner = left_now.owner
                    """, [.int(owner)])
            }
        }
        hints?.close()
        readers.close()
        keeper.close()
        if case .failure(let failure) = left { throw failure.journalError }
    }

    var isClosed: Bool { writer.isClosed }

    /// The writer's statistics since the journal was opened.
    public var statistics: JournalStatistics { writer.statistics }

    /// Writes atomically; see ``Journal/write(_:)``.
    public func write(_ write: JournalWrite) async throws(JournalError) {
        try await writer.write(try PreparedWrite(write, encodes: true))
    }

    /// Runs `body` on a reading session. After a write with an unknown outcome it first commits: everything read is
    /// then as durable as that commit, so a search for the write returns only what lasts.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Value
    ) async throws(JournalError) -> Value {
        if lease.isInDoubt { try await beat() }
        return try await run(on: readers, body)
    }

    /// Runs `body` on one of the given threads.
    func run<Value: Sendable>(
        on threads: PostgresThreads, _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Value
    ) async throws(JournalError) -> Value {
        guard !writer.isClosed else { throw .closed }
        let result = await threads.run { connection in
            Result { () throws(PostgresFailure) in try body(connection) }
        }
        guard let result else { throw .closed }
        do throws(PostgresFailure) { return try result.get() } catch { throw error.journalError }
    }

    /// Not supported: PostgreSQL has its own backups.
    /// - Throws: always ``JournalError/unavailable(_:)``, with the alternative.
    public func copy(to path: String) async throws(JournalError) -> JournalHead {
        throw .unavailable(
            "it is in PostgreSQL, which is backed up with its own: pg_basebackup and an archive of its log, or pg_dump")
    }
}
