import Testing
import TillCore
import TillTestSupport

@testable import TillOffline

@Suite struct PowerLossTests {
    /// 1,000 lives of a log: a power loss after any write, with what was not synced kept, lost or scrambled.
    @Test(arguments: 0..<10) func nothingThatWasShownAsStoredIsLost(part: Int) async throws {
        var healed = 0
        for run in 0..<100 {
            var random = SeededRandom(seed: UInt64(part * 1_000 + run))
            let (disk, clock) = (PowerLossDisk(), ManualClock(waits: .moveTime(upTo: .seconds(29))))
            var shown: [Int: LogMark] = [:]
            var taken: Set<Int> = []
            var next = 0
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let log: OfflineLog
                do {
                    log = try OfflineExamples.open(disk, clock, marks: Array(shown.values))
                } catch {
                    Issue.record("seed \(part * 1_000 + run): \(error)")
                    return
                }
                if log.healedBytes > 0 { healed += 1 }
                for (number, mark) in shown {
                    #expect(try log.find(AttemptID(rawValue: "pay_\(number)-a1"))?.mark == mark)
                }
                disk.losePower(afterWrites: Int.random(in: 0...24, using: &random))
                do {
                    try await log.noteContact()
                    for _ in 0..<Int.random(in: 1...12, using: &random) {
                        let number = next
                        next += 1
                        shown[number] = try await OfflineExamples.storeUnsealed(log, number, clock)
                        if Int.random(in: 0..<5, using: &random) == 0 {
                            let batch = try await log.fetchBatch(size: 3)
                            try await log.submit(batch.content.id)
                            let receipt = try OfflineExamples.receipt(log, batch, at: clock.now())
                            try await log.accept(receipt)
                            // From here on the provider has them; the log may forget their data.
                            for member in batch.content.members {
                                if let found = shown.first(where: { $0.value.sequence == member }) {
                                    taken.insert(found.key)
                                }
                            }
                            try await log.resolve(receipt.token)
                            _ = try log.compact(always: true)
                        }
                    }
                } catch {}
                for number in taken { shown[number] = nil }
                disk.losePower(&random)
            }
            let last = try OfflineExamples.open(disk, clock, marks: Array(shown.values))
            for (number, mark) in shown {
                let found = try last.find(AttemptID(rawValue: "pay_\(number)-a1"))
                #expect(found?.mark == mark, "seed \(part * 1_000 + run), payment \(number)")
            }
        }
        #expect(healed > 0, "no torn end was ever seen: the test tests nothing")
    }
}
