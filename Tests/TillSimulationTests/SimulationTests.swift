import Testing
import TillSimulation
import TillTestSupport

/// A bounded share of what `make test` runs with `till-simulate`: there, 100,000 payments.
@Suite("Simulated shops")
struct SimulationTests {
    @Test("500 payments through every kind of fault break no rule") func clean() async {
        let report = await Aside.run { Simulation(seed: 1, payments: 500).run() }
        #expect(report.violations == [])
        #expect(report.payments == 500)
        #expect(report.outcomes["succeeded", default: 0] > 50)
        #expect(report.faultCount > 500)
    }

    @Test("the same seed gives the same run, with any number of jobs; another seed gives another") func trace() async {
        let run = { @Sendable (seed: UInt64, jobs: Int) -> SimulationReport in
            var simulation = Simulation(seed: seed, payments: 300)
            simulation.jobs = jobs
            return simulation.run()
        }
        let first = await Aside.run { run(7, 1) }
        let again = await Aside.run { run(7, 2) }
        #expect(again.trace == first.trace)
        #expect(again.faults == first.faults)
        #expect(await Aside.run { run(8, 1) }.trace != first.trace)
    }

    @Test("each planted fault is seen", arguments: PlantedFault.allCases) func planted(fault: PlantedFault) async {
        let report = await Aside.run {
            var simulation = Simulation(seed: 1, payments: 8_000, plant: fault)
            simulation.stopsAtViolation = true
            return simulation.run()
        }
        #expect(!report.violations.isEmpty, "\(fault.rawValue) went unseen")
        print("\(fault.rawValue): seen after \(report.payments) payments: \(report.violations.first ?? "")")
    }
}
