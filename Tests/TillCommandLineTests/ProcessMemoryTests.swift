import Testing
import TillCore

@testable import TillCommandLine

@Suite("Memory that only starting needed")
struct ProcessMemoryTests {
    @Test("is given back while the process works, and nothing that was written is lost")
    func release() async throws {
        let words = CommandLine.arguments
        let numbers = (0..<100_000).map { $0 &* 7 }
        let working = Task { (1...200).reduce(into: 0) { sum, round in sum &+= "\(round) \(words.count)".utf8.count } }
        for _ in 0..<20 { ProcessMemory.releaseStartup() }
        #expect(await working.value > 0)
        #expect(CommandLine.arguments == words)
        #expect(numbers.indices.allSatisfy { numbers[$0] == $0 &* 7 })
        #expect(Currency(ifValid: "EUR")?.code == "EUR")
    }
}
