import Synchronization

/// Passes on what happens at readers. Nothing is kept: a step that nobody listens to is lost. Safe from any thread.
public final class ReaderFeed: Sendable {
    /// The most steps that wait for one listener; then its oldest are lost.
    public static let maximumWaiting = 256

    private struct State {
        var next = 0
        var listeners: [Int: AsyncStream<ReaderStep>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Makes one without listeners.
    public init() {}

    /// Everything from now on.
    public func steps() -> AsyncStream<ReaderStep> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ReaderStep.self, bufferingPolicy: .bufferingNewest(ReaderFeed.maximumWaiting))
        let id = state.withLock { state in
            state.next &+= 1
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Passes a step on to all listeners.
    public func tell(_ step: ReaderStep) {
        state.withLock { state in
            for (_, listener) in state.listeners.sorted(by: { $0.key < $1.key }) { listener.yield(step) }
        }
    }
}
