import Foundation
import Testing

/// Days of seeds, with deaths before and after every write. `TILL_DAY_LIVES` says how many.
@Suite("Lived days")
struct DayLifeTests {
    private static let seeds = max(
        1, ProcessInfo.processInfo.environment["TILL_DAY_LIVES"].flatMap { UInt64($0) } ?? 200)

    @Test("All reports together have what the journal has, whoever dies and however many close at once")
    func lives() async throws {
        for seed in 1...DayLifeTests.seeds {
            let life = DayLife(seed: seed)
            try await life.live()
            #expect(life.problems.isEmpty, "seed \(seed): \(life.problems.joined(separator: ", "))")
        }
    }
}
