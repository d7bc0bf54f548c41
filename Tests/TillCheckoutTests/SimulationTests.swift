import Testing
import TillSimulation

@Suite("Simulated shops")
struct SimulationTests {
    @Test("2,000 payments through every kind of fault break no rule; the same seed gives the same run") func clean() {
        let report = Simulation(seed: 1, payments: 2_000).run()
        #expect(report.violations == [])
        #expect(report.faults.values.reduce(0, +) > 500)
        let first = Simulation(seed: 7, payments: 100).run()
        #expect(first.trace == Simulation(seed: 7, payments: 100).run().trace)
        #expect(first.trace != Simulation(seed: 8, payments: 100).run().trace)
    }

    @Test("each planted fault is seen", arguments: PlantedFault.allCases) func planted(fault: PlantedFault) {
        let seen = (UInt64(1)...8).contains { seed in
            !Simulation(seed: seed, payments: 250, plant: fault).run().violations.isEmpty
        }
        #expect(seen, "\(fault.rawValue) went unseen")
    }
}
