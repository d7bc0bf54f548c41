import Dispatch
import Foundation
import GRDB
import Synchronization
public import TillCore
public import TillJournal

/// Keeps a copy of a journal in a folder, on another disk or machine, while the journal is in use; `till restore`
/// accepts the folder. A copy is complete and consistent and replaces the previous one atomically, so the folder always
/// contains a valid copy, even if this process or the machine dies.
///
/// ```swift
/// let clock = SystemClock()
/// let copier = try JournalCopier(journal, folder: "/mnt/usb/till", clock: clock)
/// while await clock.pause(for: copier.pause) {
///     if try await copier.copy() { print("The copy is as new as the journal.") }
/// }
/// ```
///
/// Recovery point: the folder contains every event acknowledged longer ago than one pause plus two copies. The pause is
/// ``minimumPause``, or ``share`` times the duration of the last copy, so that a large journal costs no more than a
/// small one. A copy is made only if the journal has changed.
///
/// A copy with events that the journal lacks is never replaced: it is the one to restore from.
public final class JournalCopier: JournalCopying {
    /// The file name of the copy in its folder.
    public static let name = "journal.sqlite"
    /// The shortest time between two copies.
    public static let minimumPause = Span.seconds(1)
    /// The longest time between two copies.
    public static let maximumPause = Span.minutes(10)
    /// The ratio of the pause to the duration of the last copy.
    public static let share: Int64 = 10
    /// The age after which leftovers of a dead process are removed.
    public static let leftovers = Span.hours(1)

    private struct State {
        /// The start of the last copy; before the first one, the creation of the copier.
        var begun: Timestamp
        /// The journal's change counter at that time; `nil` before the first copy.
        var version: Int64?
        var took = Span.milliseconds(0)
    }

    /// The folder with the copy.
    public let folder: String
    private let journal: SQLiteJournal
    private let clock: any TillClock
    private let changes: ChangeCounter
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "till.journal.copy", qos: .utility)

    /// Creates the folder, accessible only by its owner, if it does not exist.
    /// - Throws: `JournalError.unavailable` if it cannot be created.
    public init(_ journal: SQLiteJournal, folder: String, clock: any TillClock) throws(JournalError) {
        self.journal = journal
        self.folder = folder
        self.clock = clock
        state = Mutex(State(begun: clock.now()))
        do throws(SQLiteFailure) { changes = try ChangeCounter(journal.path) } catch { throw error.journalError }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw .unavailable("the folder \(folder) for its copy cannot be made: \(error)") }
        removeLeftovers()
    }

    /// The pause after the last copy.
    public var pause: Span {
        let took = state.withLock { $0.took }
        let share = Span(milliseconds: took.milliseconds * JournalCopier.share)
        return min(max(share, JournalCopier.minimumPause), JournalCopier.maximumPause)
    }

    /// Returns the age of the folder's copy: the time since the start of the last copy, or zero if nothing was written
    /// since.
    public func lag(at now: Timestamp) throws(JournalError) -> Span {
        let version = try current()
        return state.withLock { $0.version == version ? .milliseconds(0) : max(.milliseconds(0), now.since($0.begun)) }
    }

    /// Copies the journal if it has changed since the last copy. Durable when it returns.
    /// - Returns: `true` if a copy was made.
    /// - Throws: `JournalError.unavailable` if the copy fails or the existing one must not be replaced, in which
    ///   case that one remains.
    @discardableResult
    public func copy() async throws(JournalError) -> Bool {
        let version = try current()
        guard state.withLock({ $0.version != version }) else { return false }
        let begun = clock.now()
        let reading = SystemClock.reading()
        let result: Result<Void, JournalError> = await withCheckedContinuation { done in
            queue.async {
                done.resume(returning: Result { try self.make(at: begun) }.mapError { JournalError(storage: $0) })
            }
        }
        try result.get()
        let took = Span(milliseconds: SystemClock.reading().milliseconds - reading.milliseconds)
        state.withLock { $0 = State(begun: begun, version: version, took: took) }
        return true
    }

    private func current() throws(JournalError) -> Int64 {
        do throws(SQLiteFailure) { return try changes.count() } catch { throw error.journalError }
    }

    private func make(at now: Timestamp) throws {
        let path = folder + "/" + JournalCopier.name
        try checkReplaceable(path)
        let incoming = path + "-incoming-\(ProcessInfo.processInfo.processIdentifier)"
        remove(incoming)
        do {
            try SQLiteJournal.copy(journal.pool, to: incoming, at: now)
            let disk = DiskFolder(path: folder)
            let name = URL(fileURLWithPath: incoming).lastPathComponent
            guard let file = try disk.open(name, creating: false) else {
                throw JournalError.unavailable("its copy is not there")
            }
            try file.sync()
            try disk.replace(JournalCopier.name, with: name)
        } catch {
            remove(incoming)
            throw error
        }
        remove(incoming)
    }

    /// - Throws: if the existing copy is of another journal, or ends with an event that this one does not have.
    private func checkReplaceable(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        // Nothing is written. A read-only open would leave files beside it.
        let copy = try DatabaseQueue(path: path)
        let (start, head) = try copy.read { db in
            (try Row.fetchOne(db, sql: "SELECT start FROM journal WHERE id = 1")?.octets(0), try SQLiteSchema.head(db))
        }
        try copy.close()
        let isOurs = try journal.pool.read { db in
            guard let start, let head,
                try Row.fetchOne(db, sql: "SELECT start FROM journal WHERE id = 1")?.octets(0) == start
            else { return false }
            guard head.sequence > 0 else { return true }
            let link = try Row.fetchOne(
                db, sql: "SELECT link FROM event WHERE sequence = ?", arguments: [head.sequence])
            return link?.octets(0) == head.hash
        }
        guard isOurs else {
            throw JournalError.unavailable(
                "the copy \(path) is of another journal, or has what this one lacks; restore from it, or move it away")
        }
    }

    private func remove(_ path: String) {
        for end in ["", "-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: path + end) {
            // A file that remains is harmless, and is removed with the leftovers.
            try? FileManager.default.removeItem(atPath: path + end)
        }
    }

    private func removeLeftovers() {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix(JournalCopier.name + "-incoming-") {
            let path = folder + "/" + name
            guard let date = (try? files.attributesOfItem(atPath: path))?[.modificationDate] as? Date,
                Date().timeIntervalSince(date) * 1000 > Double(JournalCopier.leftovers.milliseconds)
            else { continue }
            remove(path)
        }
    }
}

/// Counts the commits of any process to the journal's file, for one reader: SQLite's `data_version`.
private final class ChangeCounter: Sendable {
    private let connection: Mutex<SQLiteConnection>

    init(_ path: String) throws(SQLiteFailure) {
        connection = Mutex(try SQLiteConnection(path, readOnly: false, pragmas: ["busy_timeout = 1000"]))
    }

    func count() throws(SQLiteFailure) -> Int64 {
        let result = connection.withLock { connection -> Result<Int64, SQLiteFailure> in
            do throws(SQLiteFailure) {
                return .success(try connection.statement("PRAGMA data_version").first { $0.int(0) } ?? 0)
            } catch { return .failure(error) }
        }
        return try result.get()
    }
}
