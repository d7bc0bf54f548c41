import Synchronization
import Testing

@testable import TillCommandLine

@Suite("Progress of long work") struct WorkProgressTests {
    /// What was written to the line.
    private final class Line: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }

        func write(_ text: String) { texts.withLock { $0.append(text) } }

        /// Waits for the first text, five seconds at most.
        func first() async throws -> String? {
            for _ in 0..<1000 where all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            return all.first
        }
    }

    @Test("the line says how long it has taken, is cleared at the end, and is not written again")
    func shown() async throws {
        let line = Line()
        let progress = WorkProgress("Checking", isShown: true, interval: .milliseconds(2)) { line.write($0) }
        let first = try await line.first()
        #expect(first?.hasPrefix("Checking: ") == true)
        progress.end()
        progress.end()
        let written = line.all
        #expect(written.last?.allSatisfy { $0 == " " || $0 == "\r" } == true)
        try await Task.sleep(for: .milliseconds(20))
        #expect(line.all == written)
    }

    @Test("nothing is written where it is not shown, nor by work that is quick")
    func quiet() async throws {
        let line = Line()
        let hidden = WorkProgress("Checking", isShown: false, interval: .milliseconds(1)) { line.write($0) }
        let quick = WorkProgress("Checking", isShown: true, interval: .seconds(60)) { line.write($0) }
        try await Task.sleep(for: .milliseconds(20))
        hidden.end()
        quick.end()
        #expect(line.all.isEmpty)
    }
}
