import Testing
import TillSimulation

/// A bounded share of what `make test` runs with `till-simulate`: there, 100,000 payments.
@Suite("Simulated shops")
struct SimulationTests {
    @Test("500 payments through every kind of fault break no rule") func clean() {
        let report = Simulation(seed: 1, payments: 500).run()
        #expect(report.violations == [])
        #expect(report.payments == 500)
        #expect(report.outcomes["succeeded", default: 0] > 50)
        #expect(report.faultCount > 500)
    }

    @Test("the same seed gives the same run, with any number of jobs; another seed gives another") func trace() {
        let first = Simulation(seed: 7, payments: 300).run()
        var again = Simulation(seed: 7, payments: 300)
        again.jobs = 2
        #expect(again.run().trace == first.trace)
        #expect(again.run().faults == first.faults)
        #expect(Simulation(seed: 8, payments: 300).run().trace != first.trace)
    }

    @Test("each planted fault is seen", arguments: PlantedFault.allCases) func planted(fault: PlantedFault) {
        var simulation = Simulation(seed: 1, payments: 4_000, plant: fault)
        simulation.stopsAtViolation = true
        let report = simulation.run()
        #expect(!report.violations.isEmpty, "\(fault.rawValue) went unseen")
        print("\(fault.rawValue): seen after \(report.payments) payments: \(report.violations.first ?? "")")
    }
}
