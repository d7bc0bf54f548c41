import Dispatch
import Foundation
import Synchronization
public import TillCore
public import TillJournal

/// The journal in a database of PostgreSQL 15 or newer, for any number of counters on any number of machines.
///
/// A write is committed, with the server's `synchronous_commit` at least `on`, when it returns; all that queued while
/// the last commit was under way goes in one. It is as durable as the server: on its disk, and on a standby where
/// `synchronous_standby_names` names one. A counter that dies loses nothing that was acknowledged, and what it was
/// working on is handed to the others: at once where one of them runs on the same machine, else when its lease is over.
/// Where the answer of a commit does not come, it is asked what became of it, and a write is
/// ``JournalError/unavailable(_:)`` only where nobody answers. All methods may be called from any task; each session
/// has a thread of its own.
public final class PostgresJournal: CounterStore {
    let clock: any TillClock
    let lease: PostgresLease
    let readers: PostgresThreads
    let keeper: PostgresThreads
    let address: String
    /// What this machine has noted of the journal's end; `nil` where the file cannot be made.
    let heads: HeadFile?
    private let writer: PostgresWriter
    /// `nil` where nobody wants to hear of other counters.
    private let hints: PostgresHints?
    /// With what the names of files begin that a counter keeps on its own machine.
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

    /// What the writer calls: this process hears of a commit before the others do.
    private static func telling(
        _ hints: PostgresHints?, after onCommit: (@Sendable ([StoredEvent]) -> Void)?
    ) -> (@Sendable ([StoredEvent]) -> Void)? {
        guard let hints else { return onCommit }
        return { events in
            onCommit?(events)
            hints.committed(events)
        }
    }

    /// Opens the journal, and makes its tables if there are none. Blocks until the database has answered.
    /// - Parameters:
    ///   - address: as libpq takes it, without a password: that is in `~/.pgpass` or the file that PGPASSFILE names.
    ///   - files: with what the names of the counter's own files begin; their folder is made.
    ///   - clock: the time by which idempotency keys expire. Leases go by the database's.
    ///   - description: who opens it, for people who look into the database.
    ///   - onCommit: called with the events of each commit, in the order of the journal and before the writes return,
    ///     on the writer's thread: it must be quick.
    ///   - onHint: called when other counters have committed something, with the accounts that it is about (`nil`:
    ///     any), on a thread of its own. A hint may be lost: whoever waits for events polls, too.
    ///   - length: for how long this process may stand still before others take over what it holds.
    ///   - renewsLease: whether it renews the lease by itself.
    ///   - onLease: called when this process takes over from another one, and when it has lost its own lease.
    /// - Throws: ``JournalError/unavailable(_:)`` with the server's reason, also for one that is older than 15, is a
    ///   standby, or wants a password; ``JournalError/corrupted(_:)`` for tables of a newer Till.
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

    /// Of one journal, also where a database has several.
    static func hintChannel(_ start: [UInt8]) -> String { "till_" + Hex.lowercase(start.prefix(16)) }

    private static func makeFolder(of files: String) throws(JournalError) {
        let folder = URL(fileURLWithPath: files).deletingLastPathComponent().path
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw .unavailable("the folder \(folder) for its files cannot be made: \(error)") }
    }

    /// The counter gets a number, and takes over from those of which it can prove that they are dead.
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

    /// Commits what is queued and ends the sessions. Later calls throw ``JournalError/closed``. What this process still
    /// holds is free for others. Call it once.
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

    /// How the writer has done since the journal was opened.
    public var statistics: JournalStatistics { writer.statistics }

    /// Writes all of it or nothing; see ``Journal/write(_:)``.
    public func write(_ write: JournalWrite) async throws(JournalError) {
        try await writer.write(try PreparedWrite(write, encodes: true))
    }

    /// Runs on a session that reads. Behind a write of which nobody knows what became of it something is committed
    /// first: what is read then is as durable as that, and whoever searches it for a write gets no more than the truth.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Value
    ) async throws(JournalError) -> Value {
        if lease.isInDoubt { try await beat() }
        return try await run(on: readers, body)
    }

    /// Runs on one of those threads.
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

    /// PostgreSQL has its own.
    /// - Throws: always ``JournalError/unavailable(_:)``, with what to do instead.
    public func copy(to path: String) async throws(JournalError) -> JournalHead {
        throw .unavailable(
            "it is in PostgreSQL, which is backed up with its own: pg_basebackup and an archive of its log, or pg_dump")
    }
}
