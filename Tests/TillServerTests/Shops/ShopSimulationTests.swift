import Foundation
import Synchronization
import Testing
import TillTestSupport

/// Connected shops of seeds: each with two counters on one journal that die at any call and any write, customers who
/// pay in parts and are refunded, employees who change, cancel, pay and refund orders in the shop, and a shop that
/// fails in every way its stand-in knows. `TILL_SHOP_WORLDS` says how many.
@Suite("Simulated connected shops") struct ShopSimulationTests {
    /// The result of one world.
    private struct Lived: Sendable {
        var problems: [String]
        var story: [String]
        var counts: [String: Int]
    }

    private static let worlds = max(
        1, ProcessInfo.processInfo.environment["TILL_SHOP_WORLDS"].flatMap { UInt64($0) } ?? 40)
    /// The worlds in which a planted fault is looked for.
    private static let worldsOfPlants: UInt64 = 80
    /// Jobs run for tasks that still wait at the end of a world.
    private static let jobsAtTheEnd = 1_000_000

    private static func run(_ seed: UInt64, plant: ShopPlant? = nil, isLate: Bool = false) -> Lived {
        let folder = FileManager.default.temporaryDirectory.path + "/till-shop-life-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            return Lived(problems: ["no folder: \(error)"], story: [], counts: [:])
        }
        let (executor, clock) = (SimulatedExecutor(), SimulatedClock())
        let found = Mutex<Lived?>(nil)
        Task(executorPreference: executor) {
            let life = await ShopLife(
                seed: seed, plant: plant, isLate: isLate, folder: folder, clock: clock, executor: executor)
            let problems = await life.live()
            let lived = life.state.withLock { Lived(problems: problems, story: $0.story, counts: $0.counts) }
            found.withLock { $0 = lived }
        }
        executor.drain()
        var moments = 0
        while found.withLock({ $0 == nil }), moments < ShopLife.maximumMoments, clock.jump() {
            moments += 1
            executor.drain()
        }
        clock.end()
        executor.drain(limit: jobsAtTheEnd)
        return found.withLock { $0 } ?? Lived(problems: ["it does not come to rest"], story: [], counts: [:])
    }

    /// Runs worlds one after the other; the story of each that breaks a rule is the failure.
    /// - Returns: how often what happened.
    private func runAll(_ seeds: ClosedRange<UInt64>, isLate: Bool) async -> [String: Int] {
        var counts: [String: Int] = [:]
        for seed in seeds {
            let lived = await Aside.run { Self.run(seed, isLate: isLate) }
            counts.merge(lived.counts, uniquingKeysWith: +)
            guard !lived.problems.isEmpty else { continue }
            Issue.record(
                "seed \(seed): \(lived.problems.joined(separator: "; "))\n\(lived.story.joined(separator: "\n"))")
        }
        print("simulated shops\(isLate ? ", late" : ""): \(counts.sorted { $0.key < $1.key })")
        return counts
    }

    @Test("Shops that fail, counters that die and employees who interfere: each order is told once, or reviewed")
    func faults() async {
        let counts = await runAll(1...Self.worlds, isLate: false)
        let wanted = [
            "death", "clock", "outage", "timeoutAfterCommit", "duplicateDelivery", "paid in the shop",
            "refunded in the shop", "carried out", "reviewed",
        ]
        for event in wanted { #expect(counts[event, default: 0] > 0, "\(event) never happened") }
        // Most of what is told needs no excuse.
        #expect(counts["told without a word", default: 0] > Int(Self.worlds) / 2)
    }

    @Test("Shops that carry out a call after it was given up record and give back nothing twice")
    func lateCalls() async {
        let counts = await runAll(1...max(1, Self.worlds / 4), isLate: true)
        #expect(counts["late call", default: 0] > 0)
        #expect(counts["told", default: 0] > 0)
    }

    @Test("The same seed has the same story") func repeats() async {
        let stories = await Aside.run { [Self.run(7).story, Self.run(7).story] }
        #expect(stories[0] == stories[1])
        #expect(stories[0].count > 20)
    }

    @Test("Each planted fault is seen", arguments: ShopPlant.allCases) func planted(plant: ShopPlant) async {
        let seen = await Aside.run { () -> String? in
            for seed in 1...Self.worldsOfPlants {
                if let problem = Self.run(seed, plant: plant).problems.first {
                    return "seed \(seed): \(problem)"
                }
            }
            return nil
        }
        #expect(seen != nil, "\(plant.rawValue) went unseen")
        if let seen { print("\(plant.rawValue): seen in \(seen)") }
    }
}
