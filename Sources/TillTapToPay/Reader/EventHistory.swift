import TillCore

/// Events for any number of listeners, each of which receives everything since the last start and everything after.
///
/// Apple's reader has one stream, which is dead for good once its task is canceled. Here each stream is independent:
/// one that ends takes nothing from the others, and one that starts late has missed nothing. Safe from any thread.
final class EventHistory<Event: Sendable>: Sendable {
    /// The maximum number of past events for a new listener.
    static var mostRemembered: Int { 64 }
    /// The maximum number of events buffered for one listener; a listener that does not keep up loses the oldest.
    static var mostWaiting: Int { 256 }

    private struct State {
        var past: [Event] = []
        var listeners: [UInt64: AsyncStream<Event>.Continuation] = [:]
        var lastID: UInt64 = 0
    }
    private let state = Guarded(State())

    deinit { for listener in state.withLock({ $0.listeners.values }) { listener.finish() } }

    /// Discards past events: a new preparation or read begins.
    func begin() { state.withLock { $0.past = [] } }

    /// Delivers an event to all listeners, including those that arrive before the next start.
    func send(_ event: Event) {
        state.withLock { state in
            state.past.append(event)
            if state.past.count > EventHistory.mostRemembered { state.past.removeFirst() }
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    /// Sends an event only if it differs from the last.
    func sendIfChanged(_ event: Event) where Event: Equatable {
        if state.withLock({ $0.past.last }) != event { send(event) }
    }

    /// The events since the last start.
    var past: [Event] { state.withLock { $0.past } }

    /// Returns past and future events for a new listener, or future ones only.
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
