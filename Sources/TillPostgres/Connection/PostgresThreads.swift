import Dispatch
import Foundation
import Synchronization
import TillCore

/// A pool of sessions, each on a thread of its own. Sessions connect on first use.
final class PostgresThreads: Sendable {
    private typealias Job = @Sendable (inout PostgresSession) -> Void

    /// The state shared by the threads and their owner, so that the threads do not retain the owner.
    private final class Jobs: Sendable {
        private struct State {
            var waiting: [Job] = []
            var isClosed = false
        }

        private let state = Mutex(State())
        private let bell = DispatchSemaphore(value: 0)

        /// - Returns: `true` if the job was accepted.
        func add(_ job: @escaping Job) -> Bool {
            let isTaken = state.withLock { state in
                guard !state.isClosed else { return false }
                state.waiting.append(job)
                return true
            }
            if isTaken { bell.signal() }
            return isTaken
        }

        /// Waits for the next job; returns `nil` after closing.
        func next() -> Job? {
            bell.wait()
            return state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
        }

        func close(threads: Int) {
            let isFirst = state.withLock { state in
                defer { state.isClosed = true }
                return !state.isClosed
            }
            if isFirst { for _ in 0..<threads { bell.signal() } }
        }
    }

    private let jobs = Jobs()
    private let count: Int

    init(_ address: String, _ use: PostgresConnection.Use, name: String, count: Int = 1) {
        self.count = count
        for _ in 0..<count {
            let thread = Thread { [jobs] in
                var session = PostgresSession(address: address, use: use)
                while let job = jobs.next() { job(&session) }
            }
            thread.name = name
            thread.start()
        }
    }

    deinit { close() }

    /// Refuses new jobs; those accepted before are completed.
    func close() { jobs.close(threads: count) }

    /// Runs `body` on one of the threads, with a session. A repeatable job is retried if its session turns out to have
    /// ended earlier.
    /// - Returns: `nil` if the pool is closed.
    func run<Value: Sendable>(
        repeats: Bool = true, _ body: @escaping @Sendable (PostgresConnection) -> Result<Value, PostgresFailure>
    ) async -> Result<Value, PostgresFailure>? {
        await withCheckedContinuation { done in
            let isTaken = jobs.add { session in done.resume(returning: session.run(repeats: repeats, body)) }
            if !isTaken { done.resume(returning: nil) }
        }
    }
}

/// A session that connects on demand, and reconnects after it has ended.
struct PostgresSession {
    let address: String
    let use: PostgresConnection.Use
    private var connection: PostgresConnection?

    init(address: String, use: PostgresConnection.Use) {
        self.address = address
        self.use = use
    }

    mutating func run<Value>(
        repeats: Bool, _ body: (PostgresConnection) -> Result<Value, PostgresFailure>
    ) -> Result<Value, PostgresFailure> {
        let isOld = connection != nil
        let result = once(body)
        guard case .failure(let failure) = result, failure.endsConnection, failure.kind != .timedOut, isOld, repeats
        else { return result }
        return once(body)
    }

    private mutating func once<Value>(
        _ body: (PostgresConnection) -> Result<Value, PostgresFailure>
    ) -> Result<Value, PostgresFailure> {
        do throws(PostgresFailure) {
            let connection: PostgresConnection
            if let open = self.connection {
                connection = open
            } else {
                connection = try PostgresConnection(address, use)
            }
            self.connection = connection
            let result = body(connection)
            if case .failure(let failure) = result, failure.endsConnection { self.connection = nil }
            return result
        } catch { return .failure(error) }
    }

    mutating func close() { connection = nil }
}
