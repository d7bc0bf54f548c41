import Dispatch
import Synchronization
import TillJournal

/// Checkpoints the write-ahead log into the file on its own thread, so that no write waits for it.
///
/// Commits extend the log during a checkpoint, so it runs twice, and the writer itself copies the small remainder. The
/// log is then empty and restarts instead of growing.
final class LogCheckpointer: Sendable {
    /// The size of the log from which a checkpoint is worthwhile, in pages: about 16 MB.
    static let pages = 4_096

    private enum Phase { case waiting, copying, copied }

    private let path: String
    private let phase = Mutex(Phase.waiting)
    private let queue = DispatchQueue(label: "till.journal.checkpoint", qos: .utility)

    init(path: String) { self.path = path }

    /// Called by the writer after each commit, on its thread.
    func committed(on connection: SQLiteConnection) {
        guard connection.pagesInLog >= LogCheckpointer.pages else { return }
        let (begins, finishes) = phase.withLock { phase in
            switch phase {
            case .waiting:
                phase = .copying
                return (true, false)
            case .copying: return (false, false)
            case .copied:
                phase = .waiting
                return (false, true)
            }
        }
        if begins { queue.async { self.copy() } }
        if finishes { connection.checkpoint() }
    }

    private func copy() {
        defer { phase.withLock { $0 = .copied } }
        let pragmas = ["busy_timeout = 0", "synchronous = FULL", "checkpoint_fullfsync = 1", "cache_size = -64"]
        guard let connection = try? SQLiteConnection(path, readOnly: false, pragmas: pragmas) else { return }
        connection.checkpoint()
        connection.checkpoint()
    }

    /// Returns when no checkpoint is running.
    func settle() { queue.sync {} }
}
