/// One source of values for any number of streams. Owned by an actor.
struct Broadcast<Element: Sendable> {
    private var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    private var nextID = 0

    /// A new stream that starts with `first`. `onEnd` is told the listener's number once nobody reads it any more.
    mutating func stream(
        startingWith first: Element? = nil, onEnd: @escaping @Sendable (Int) -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(256))
        let id = nextID
        nextID &+= 1
        listeners[id] = continuation
        continuation.onTermination = { _ in onEnd(id) }
        if let first { continuation.yield(first) }
        return stream
    }

    func send(_ element: Element) {
        for listener in listeners.values { listener.yield(element) }
    }

    mutating func remove(_ id: Int) { listeners[id] = nil }
}
