import Dispatch
import Testing
import TillSimulation

@Suite struct OfflineDaysTests {
    @Test(arguments: 0..<8) func whateverHappensEachPaymentIsTakenOnceOrSaidNotToBe(part: UInt64) async {
        var faults: [String: Int] = [:]
        var outcomes: [String: Int] = [:]
        for seed in (part * 12)..<(part * 12 + 12) {
            let report = await OfflineDays(seed: seed).run()
            #expect(report.violations == [], "seed \(seed)")
            faults.merge(report.faults, uniquingKeysWith: +)
            outcomes.merge(report.outcomes, uniquingKeysWith: +)
        }
        #expect(faults.count >= 10, "too little happened: \(faults)")
        #expect(outcomes["succeeded", default: 0] > 100, "\(outcomes)")
    }

    @Test("The simulation has days offline beside each world, in the same table, and the same seed gives the same run")
    func partOfTheSimulation() async {
        func run() async -> SimulationReport {
            await withCheckedContinuation { done in
                DispatchQueue.global().async { done.resume(returning: Simulation(seed: 5, payments: 300).run()) }
            }
        }
        let (one, other) = (await run(), await run())
        #expect(one.violations == [])
        #expect(one.faults.keys.contains { $0.hasPrefix("offline: power lost") }, "\(one.faults)")
        #expect(one.faults.keys.contains { !$0.hasPrefix("offline: ") })
        #expect(one.outcomes["offline: succeeded", default: 0] > 0, "\(one.outcomes)")
        #expect(one.payments == 300)
        #expect(one.trace == other.trace && one.faults == other.faults && one.outcomes == other.outcomes)
    }

    @Test(arguments: OfflineDays.Plant.allCases) func aPlantedFaultTurnsItRed(plant: OfflineDays.Plant) async {
        for seed in 0..<UInt64(40) {
            let report = await OfflineDays(seed: seed, plant: plant).run()
            if !report.violations.isEmpty { return }
        }
        Issue.record("\(plant.rawValue) was not seen")
    }
}
