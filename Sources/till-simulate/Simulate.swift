import ArgumentParser
import TillSimulation

/// Runs payments through everything that can go wrong, from a seed.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "till-simulate",
        abstract: "Runs payments through everything that can go wrong. The same seed gives the same run.")

    @Option(help: "The seed.") var seed: UInt64 = 1
    @Option(help: "How many orders.") var payments = 10_000
    @Option(help: "A defect to put in on purpose; the run must then fail.") var plant: String?

    func run() throws {
        let fault = try plant.map { name in
            guard let fault = PlantedFault(rawValue: name) else {
                let names = PlantedFault.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no fault \(name); there is \(names).")
            }
            return fault
        }
        let clock = ContinuousClock()
        let start = clock.now
        let report = Simulation(seed: seed, payments: payments, plant: fault).run()
        let time = clock.now - start
        print("payments    \(report.payments)")
        print("trace       \(String(report.trace, radix: 16))")
        for (fault, count) in report.faults.sorted(by: { $0.key < $1.key }) { print("fault       \(fault): \(count)") }
        for (end, count) in report.outcomes.sorted(by: { $0.key < $1.key }) { print("ended       \(end): \(count)") }
        let seconds = max(1, time.components.seconds)
        let days = report.simulatedMilliseconds / 86_400_000
        print("time        \(days) simulated days in \(time) (\(report.simulatedMilliseconds / 1000 / seconds) : 1)")
        print("violations  \(report.violations.count)")
        for violation in report.violations.prefix(20) { print("  \(violation)") }
        if !report.violations.isEmpty { throw ExitCode(1) }
    }
}
