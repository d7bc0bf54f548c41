import TillCore

/// A source of values for any number of consumers. The owner sends; consumers read ``values``.
///
/// Safe from any thread. Values sent from one thread arrive in that order at every consumer. A consumer that does not
/// keep up loses its oldest values, never its newest.
public final class Broadcast<Element: Sendable>: Sendable {
    /// The maximum number of values buffered for one consumer.
    public static var maximumWaiting: Int { 256 }

    private struct State {
        var current: Element?
        var listeners: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }
    private let state: Guarded<State>

    /// Creates a broadcast without consumers.
    /// - Parameter current: the first value for a new consumer, until something is sent; `nil`: none.
    public init(_ current: Element? = nil) {
        state = Guarded(State(current: current))
    }

    deinit { finish() }

    /// Sends a value to all consumers, and to later ones until the next value.
    public func send(_ element: Element) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.current = element
            for listener in state.listeners.values { listener.yield(element) }
        }
    }

    /// Sends only if the value differs from the current one.
    func sendIfChanged(_ element: Element) where Element: Equatable {
        state.withLock { state in
            guard !state.isFinished, state.current != element else { return }
            state.current = element
            for listener in state.listeners.values { listener.yield(element) }
        }
    }

    /// Drops the current value: new consumers get nothing until something is sent.
    public func forget() { state.withLock { $0.current = nil } }

    /// Ends the sequences of all consumers. Nothing is sent any more.
    public func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    public var values: BroadcastValues<Element> { BroadcastValues(broadcast: self) }

    var current: Element? { state.withLock { $0.current } }
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    func subscribe() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(Broadcast.maximumWaiting))
        let id: UInt64? = state.withLock { state in
            if let current = state.current { continuation.yield(current) }
            guard !state.isFinished else { return nil }
            state.lastID &+= 1
            state.listeners[state.lastID] = continuation
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }
}

/// The consumers' side of a ``Broadcast``: an asynchronous sequence that any number of tasks may iterate, each from the
/// current value on. It ends with its service.
public struct BroadcastValues<Element: Sendable>: AsyncSequence, Sendable {
    /// Iterates over the values.
    public typealias AsyncIterator = AsyncStream<Element>.Iterator
    /// The stream ends without an error.
    public typealias Failure = Never
    let broadcast: Broadcast<Element>

    /// Returns an iterator for a new consumer, from the current value on.
    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { broadcast.subscribe().makeAsyncIterator() }

    /// Returns a sequence for one consumer that misses nothing from this moment on, even if it is read later.
    public func subscribe() -> AsyncStream<Element> { broadcast.subscribe() }

    /// The current value, if there is one.
    public var current: Element? { broadcast.current }
}
