import ServiceLifecycle
import Synchronization

/// A service that is made and begins once the counter listens. Everything that its first turn reads and writes would
/// only keep the first request waiting. Ends like any other service, also if the counter never comes to listen.
struct BackgroundService: Service {
    /// Ends when the counter listens; without elements.
    let beginning: AsyncStream<Void>
    let make: @Sendable () -> any Service

    func run() async throws {
        await cancelWhenGracefulShutdown { for await _ in beginning {} }
        try await make().run()
    }
}

/// The moment at which the counter begins to listen.
final class Opening: Sendable {
    /// Those who wait for it; `nil` once it has come.
    private let waiting = Mutex<[AsyncStream<Void>.Continuation]?>([])

    /// Returns a stream without elements that ends at that moment; at once if it has come.
    func beginning() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let hasCome = waiting.withLock { waiting in
            waiting?.append(continuation)
            return waiting == nil
        }
        if hasCome { continuation.finish() }
        return stream
    }

    /// Lets all that wait begin. A repetition does nothing.
    func begin() {
        let all = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for continuation in all { continuation.finish() }
    }
}
