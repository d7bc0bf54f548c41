import Synchronization

/// Connections for reads of one payment or one key: a few pages, nearly always in memory, in less time than it takes to
/// hand the question to another thread and wake up for its answer. So they run where they are asked for.
///
/// They wait for nobody: a read that meets a lock is not answered here, and its caller goes the long way.
final class PointReaders: Sendable {
    /// Connections kept open; more are opened while more threads read at once.
    private static let maximumIdle = 4

    private struct State {
        var idle: [SQLiteConnection] = []
        var isClosed = false
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// What `body` reads; `nil` if it cannot be read here.
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

    /// Closes what is idle, and what is in use as soon as it is not.
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
