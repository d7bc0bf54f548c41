import Synchronization

/// One source of values for any number of readers. The owner sends; others read ``values``.
///
/// Safe from any thread. What is sent from one thread comes out in that order for every reader. A reader that does
/// not keep up loses its oldest values, never its newest.
public final class Broadcast<Element: Sendable>: Sendable {
    /// The most values that wait for one reader.
    public static var maximumWaiting: Int { 256 }

    private struct State {
        var current: Element?
        var listeners: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }
    private let state: Mutex<State>

    /// A broadcast without readers.
    /// - Parameter current: what a new reader gets first, until something is sent; `nil`: nothing.
    public init(_ current: Element? = nil) {
        state = Mutex(State(current: current))
    }

    deinit { finish() }

    /// Sends to all readers, and to those who come later until the next one.
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

    /// Forgets the current value: those who come now get nothing until something is sent.
    public func forget() { state.withLock { $0.current = nil } }

    /// Ends all readers' sequences. Nothing is sent any more.
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

/// The readers' side of a ``Broadcast``: an asynchronous sequence that any number of tasks may read, each from the
/// current value on. It ends when its service ends.
public struct BroadcastValues<Element: Sendable>: AsyncSequence, Sendable {
    /// Gives the values one by one.
    public typealias AsyncIterator = AsyncStream<Element>.Iterator
    /// The stream ends, and never with an error.
    public typealias Failure = Never
    let broadcast: Broadcast<Element>

    /// A new reader, from the current value on.
    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { broadcast.subscribe().makeAsyncIterator() }

    /// A sequence for one reader that misses nothing from this moment on, also if it is read later.
    public func subscribe() -> AsyncStream<Element> { broadcast.subscribe() }

    /// The current value, if there is one.
    public var current: Element? { broadcast.current }
}
