import Synchronization
import TillCore

/// A seeded simulation of payments around the real engine. The same seed gives the same run, to the last call.
public struct Simulation: Sendable {
    /// The seed.
    public var seed: UInt64
    /// How many orders.
    public var payments: Int
    /// A defect put in on purpose; `nil` for the engine as it is.
    public var plant: PlantedFault?
    /// Orders that share one journal, one provider and one clock.
    public static let ordersPerWorld = 250

    /// Makes one.
    public init(seed: UInt64, payments: Int, plant: PlantedFault? = nil) {
        self.seed = seed
        self.payments = payments
        self.plant = plant
    }

    /// Runs it to the end on this thread.
    public func run() -> SimulationReport {
        var report = SimulationReport(seed: seed)
        var left = payments
        var world: UInt64 = 0
        while left > 0 {
            let orders = min(left, Simulation.ordersPerWorld)
            let part = Simulation.run(seed: seed &* 1_000_003 &+ world, orders: orders, plant: plant)
            report.payments += orders
            report.faults.merge(part.faults, uniquingKeysWith: +)
            report.outcomes.merge(part.outcomes, uniquingKeysWith: +)
            report.simulatedMilliseconds += part.simulatedMilliseconds
            report.hash("\(part.trace)")
            report.violations += part.violations.map { "world \(world): \($0)" }
            left -= orders
            world += 1
        }
        return report
    }

    private static func run(seed: UInt64, orders: Int, plant: PlantedFault?) -> SimulationReport {
        let world = SimulatedWorld(seed: seed, plant: plant, horizon: .hours(2))
        let start = world.clock.now()
        world.boot()
        for index in 0..<orders { world.spawn { await world.sell(index) } }
        // A payment has about ten events; one that is worked on for ever never comes to rest.
        func isRestless() -> Bool { world.state.withLock { $0.writes } > 100 * orders + 1_000 }
        func runUntil(_ end: Timestamp) {
            world.spawn { try? await world.clock.sleep(for: end.since(world.clock.now())) }
            world.executor.drain()
            while world.clock.now() < end, !isRestless(), world.clock.jump() { world.executor.drain() }
        }
        runUntil(start.adding(.days(4)))
        world.state.withLock {
            $0.isCalm = true
            $0.outageUntil = start
        }
        runUntil(start.adding(.days(12)))
        world.state.withLock { $0.isOver = true }
        world.executor.drain()
        let verdict = Mutex<[String]?>(nil)
        world.spawn {
            let problems = await world.judge()
            verdict.withLock { $0 = problems }
        }
        world.executor.drain()
        while verdict.withLock({ $0 }) == nil, world.clock.jump() { world.executor.drain() }
        var report = world.state.withLock { $0.report }
        report.simulatedMilliseconds = world.clock.now().since(start).milliseconds
        if isRestless() { report.violations = ["it does not come to rest"] }
        report.violations += verdict.withLock { $0 } ?? ["the judge found no end"]
        return report
    }
}
