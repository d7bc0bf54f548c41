import Synchronization

/// Broadcasts reader events. Nothing is stored: an event without a subscriber is lost. Safe to use from any thread.
public final class ReaderFeed: Sendable {
    /// Maximum number of buffered steps per subscriber; beyond it the oldest are dropped.
    public static let maximumWaiting = 256

    private struct State {
        var next = 0
        var listeners: [Int: AsyncStream<ReaderStep>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Creates a feed without subscribers.
    public init() {}

    /// Returns a stream of all steps from now on.
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

    /// Delivers a step to all subscribers.
    public func tell(_ step: ReaderStep) {
        state.withLock { state in
            for (_, listener) in state.listeners.sorted(by: { $0.key < $1.key }) { listener.yield(step) }
        }
    }
}
