import ArgumentParser
import Foundation
import TillSimulation

/// Runs payments through everything that can go wrong, from a seed.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "till-simulate",
        abstract: "Runs payments through everything that can go wrong. The same seed gives the same run.",
        discussion: "Ends with 1 if a rule did not hold. Rerun one world with the same seed and --world N.")

    @Option(help: "The seed.") var seed: UInt64 = 1
    @Option(help: "How many orders.") var payments = 10_000
    @Option(help: "How many worlds run at the same time (default: one a core).") var jobs: Int?
    @Option(help: "Run this world only.") var world: Int?
    @Option(help: "A defect to put in on purpose; the run must then fail.") var plant: String?
    @Flag(help: "Print every call and every write; with --world.") var show = false
    @Flag(help: "Stop at the first rule that does not hold.") var first = false

    func run() throws {
        let offline = plant.flatMap { OfflineDays.Plant(rawValue: $0) }
        var simulation = Simulation(seed: seed, payments: payments, plant: offline == nil ? try planted() : nil)
        simulation.offlinePlant = offline
        simulation.jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        simulation.stopsAtViolation = first
        simulation.onlyWorld = world
        simulation.isShown = show && world != nil
        let clock = ContinuousClock()
        let start = clock.now
        let report = simulation.run()
        display(report, took: clock.now - start)
        if !report.violations.isEmpty { throw ExitCode(1) }
    }

    private func planted() throws -> PlantedFault? {
        try plant.map { name in
            guard let fault = PlantedFault(rawValue: name) else {
                let all = PlantedFault.allCases.map(\.rawValue) + OfflineDays.Plant.allCases.map(\.rawValue)
                let names = all.joined(separator: ", ")
                throw ValidationError("There is no fault \(name); there is \(names).")
            }
            return fault
        }
    }

    private func display(_ report: SimulationReport, took time: Duration) {
        print("seed        \(report.seed)")
        print("payments    \(report.payments)")
        print("trace       \(String(report.trace, radix: 16))")
        for (fault, count) in report.faults.sorted(by: { $0.key < $1.key }) { print("fault       \(fault): \(count)") }
        for (end, count) in report.outcomes.sorted(by: { $0.key < $1.key }) { print("ended       \(end): \(count)") }
        print("faults      \(report.faultCount) of \(report.faults.count) kinds")
        let milliseconds = max(1, time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000)
        let days = report.simulatedMilliseconds / 86_400_000
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        print("time        \(days) simulated days in \(seconds).\(rest / 100) s", terminator: " ")
        print("(\(report.simulatedMilliseconds / milliseconds) : 1)")
        print("violations  \(report.violations.count)")
        for violation in report.violations.prefix(20) { print("  \(violation)") }
    }
}
