import NIOCore
import NIOPosix
import Synchronization
public import TillCore
import TillHTTP

/// The machine's clock for a serving counter: a task that waits on an event loop is resumed there, on time and without
/// a thread hop, and a canceled wait leaves nothing behind.
public struct EventLoopClock: TillClock {
    private let system = SystemClock()

    public init() {}

    /// Returns the wall clock time in milliseconds.
    public func now() -> Timestamp { system.now() }

    /// Waits on the monotonic clock of the event loops.
    public func sleep(for span: Span) async throws {
        guard span.milliseconds > 0 else { return try Task.checkCancellation() }
        let loop = EventLoopExecutor.current?.loop ?? MultiThreadedEventLoopGroup.singleton.any()
        let wait = Wait()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { done in
                wait.begin(done, on: loop, until: .now() + .milliseconds(min(span.milliseconds, Wait.longest)))
            }
        } onCancel: {
            wait.cancel()
        }
    }
}

/// A wait that ends exactly once, by time or by cancellation, whichever comes first.
private final class Wait: Sendable {
    /// About a century; event loops count nanoseconds in 64 bits.
    static let longest: Int64 = 100 * 365 * 86_400_000

    private enum State {
        case new
        case waiting(CheckedContinuation<Void, any Error>, Scheduled<Void>?)
        case ended
    }

    private let state = Mutex(State.new)

    func begin(_ done: CheckedContinuation<Void, any Error>, on loop: any EventLoop, until deadline: NIODeadline) {
        let isCancelled = state.withLock { state in
            guard case .new = state else { return true }
            state = .waiting(done, nil)
            return false
        }
        guard !isCancelled else { return done.resume(throwing: CancellationError()) }
        let timer = loop.scheduleTask(deadline: deadline) { self.end(.success(())) }
        let isOver = state.withLock { state in
            guard case .waiting(let done, _) = state else { return true }
            state = .waiting(done, timer)
            return false
        }
        if isOver { timer.cancel() }
    }

    func cancel() { end(.failure(CancellationError())) }

    private func end(_ result: Result<Void, any Error>) {
        let before = state.withLock { state in
            defer { state = .ended }
            return state
        }
        guard case .waiting(let done, let timer) = before else { return }
        if case .failure = result { timer?.cancel() }
        done.resume(with: result)
    }
}
