import Dispatch
import Synchronization

/// Copies the write-ahead log into the file on a thread of its own, so that no write waits for it.
///
/// While it copies, commits make the log longer: it goes over it twice, and what has come since then, little, the
/// writer copies itself. Then nothing is left and the log begins anew instead of growing.
final class LogCheckpointer: Sendable {
    /// Pages in the log from which it is worth it: about 16 MB.
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

    /// Returns when nothing is being copied any more.
    func settle() { queue.sync {} }
}
