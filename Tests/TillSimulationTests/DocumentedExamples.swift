// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillSimulation

/// Of `Simulation.swift`.
private func example1() async throws {
    let report = Simulation(seed: 42, payments: 10_000).run()
    for violation in report.violations { print(violation) }
    print("\(report.payments) payments, \(report.faultCount) faults, trace \(report.trace)")
    _ = report
}
