import ServiceLifecycle
import Testing

@testable import TillServer

@Suite("The opening of a counter")
struct OpeningTests {
    /// A service that says that it began, and ends.
    private struct Beginner: Service {
        let begun: AsyncStream<String>.Continuation
        let name: String

        func run() async throws { begun.yield(name) }
    }

    private let opening = Opening()
    private let all = AsyncStream.makeStream(of: String.self)

    private func service(_ name: String) -> BackgroundService {
        BackgroundService(beginning: opening.beginning()) { [begun = all.continuation] in
            Beginner(begun: begun, name: name)
        }
    }

    @Test("lets background services begin, each once, and those at once that come later")
    func order() async throws {
        var begun = all.stream.makeAsyncIterator()
        let waits = service("waits")
        let waiting = Task { try await waits.run() }
        // Another one says first what it has to say: the first is still waiting.
        all.continuation.yield("before")
        #expect(await begun.next() == "before")
        opening.begin()
        opening.begin()
        #expect(await begun.next() == "waits")
        try await waiting.value
        try await service("late").run()
        #expect(await begun.next() == "late")
    }

    @Test("that never comes keeps no service from ending")
    func cancellation() async throws {
        let waits = service("waits")
        let waiting = Task { try await waits.run() }
        waiting.cancel()
        _ = await waiting.result
        var begun = all.stream.makeAsyncIterator()
        // It ran, so that it could release what it holds.
        #expect(await begun.next() == "waits")
    }
}
