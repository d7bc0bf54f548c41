import Synchronization

/// Events for any number of listeners, each of whom gets what happened since the last beginning and then what happens.
///
/// Apple's reader has one stream, which is dead for good once its task is canceled. Here each stream is its own: one
/// that ends takes nothing from the others, and one that begins late has missed nothing. Safe from any thread.
final class EventHistory<Event: Sendable>: Sendable {
    /// The most past events that a new listener gets.
    static var mostRemembered: Int { 64 }
    /// The most events that wait for one listener; a listener that does not keep up loses the oldest.
    static var mostWaiting: Int { 256 }

    private struct State {
        var past: [Event] = []
        var listeners: [UInt64: AsyncStream<Event>.Continuation] = [:]
        var lastID: UInt64 = 0
    }
    private let state = Mutex(State())

    deinit { for listener in state.withLock({ $0.listeners.values }) { listener.finish() } }

    /// Forgets what is past: a new preparation or read begins.
    func begin() { state.withLock { $0.past = [] } }

    /// Delivers an event to everybody, and to those who come before the next beginning.
    func send(_ event: Event) {
        state.withLock { state in
            state.past.append(event)
            if state.past.count > EventHistory.mostRemembered { state.past.removeFirst() }
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    /// Reports only what differs from the last.
    func sendIfChanged(_ event: Event) where Event: Equatable {
        if state.withLock({ $0.past.last }) != event { send(event) }
    }

    /// What has happened since the last beginning.
    var past: [Event] { state.withLock { $0.past } }

    /// Past and coming events for one more listener, or the coming ones alone.
    func listen(withPast: Bool = true) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(EventHistory.mostWaiting))
        let id = state.withLock { state in
            if withPast { for event in state.past { continuation.yield(event) } }
            state.lastID &+= 1
            state.listeners[state.lastID] = continuation
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    var listenerCount: Int { state.withLock { $0.listeners.count } }
}
