import Synchronization
import TillJournal

/// Connections for reads of one payment or one key: a few pages, nearly always cached, in less time than a switch to
/// another thread and back takes. Such reads therefore run on the caller's thread.
///
/// They never wait: a read that meets a lock returns no result, and the caller falls back to a reader thread.
final class PointReaders: Sendable {
    /// The maximum number of idle connections; more are opened while more threads read at once.
    private static let maximumIdle = 4

    private struct State {
        var idle: [SQLiteConnection] = []
        var isClosed = false
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// Returns the result of `body`; `nil` if the read fails here.
    func read<Value>(_ body: (SQLiteConnection) throws(SQLiteFailure) -> Value) -> Value? {
        do throws(SQLiteFailure) {
            let idle = state.withLock { $0.idle.popLast() }
            let connection = if let idle { idle } else { try open() }
            let value = try body(connection)
            state.withLock { state in
                guard !state.isClosed, state.idle.count < PointReaders.maximumIdle else { return }
                state.idle.append(connection)
            }
            return value
        } catch { return nil }
    }

    /// Closes idle connections, and others as soon as they become idle.
    func close() {
        // Outside the lock: closing touches the disk.
        _ = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
    }

    private func open() throws(SQLiteFailure) -> SQLiteConnection {
        try SQLiteConnection(path, readOnly: true, pragmas: ["query_only = 1", "cache_size = -512"])
    }
}
