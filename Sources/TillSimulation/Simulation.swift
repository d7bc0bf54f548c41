import Dispatch
import Synchronization
import TillCore
import TillTestSupport

/// A seeded simulation of payments around the real engine. A seed determines the run to the last call, for any number
/// of jobs.
///
/// ```swift
/// let report = Simulation(seed: 42, payments: 10_000).run()
/// for violation in report.violations { print(violation) }
/// print("\(report.payments) payments, \(report.faultCount) faults, trace \(report.trace)")
/// ```
public struct Simulation: Sendable {
    public var seed: UInt64
    public var payments: Int
    /// A deliberate defect; `nil` for the unmodified engine.
    public var plant: PlantedFault?
    /// The number of worlds that run concurrently, each on its own thread.
    public var jobs = 1
    /// `true` to start no further world after a violation.
    public var stopsAtViolation = false
    /// The only world to run, for inspection.
    public var onlyWorld: Int?
    /// `true` to print every call and every write, with the time in milliseconds since 1970. For one world.
    public var isShown = false
    /// A deliberate defect in the offline shops.
    package var offlinePlant: OfflineDays.Plant?
    /// The number of orders that share one journal, one provider and one clock.
    public static let ordersPerWorld = 250
    /// The maximum number of events of a payment: about ten are typical, and a hundred or more if a key is rejected for
    /// days; a payment that never settles has no limit.
    static let maximumEvents = 300
    /// The maximum where a backup is restored: lost orders are sold again for days, also while the provider is
    /// unavailable for two of them and is queried every five minutes.
    static let maximumEventsAfterRestore = 1_000
    /// The ratio of a world's orders to those of the offline shop that runs beside it.
    public static let ordersPerStoredOne = 10

    public init(seed: UInt64, payments: Int, plant: PlantedFault? = nil) {
        self.seed = seed
        self.payments = payments
        self.plant = plant
    }

    /// Runs the simulation to the end.
    public func run() -> SimulationReport {
        let (whole, rest) = max(0, payments).quotientAndRemainder(dividingBy: Simulation.ordersPerWorld)
        let sizes = Array(repeating: Simulation.ordersPerWorld, count: whole) + (rest > 0 ? [rest] : [])
        let worlds = onlyWorld.map { [$0] } ?? Array(sizes.indices)
        let next = Mutex(0)
        let parts = Mutex<[Int: SimulationReport]>([:])
        DispatchQueue.concurrentPerform(iterations: max(1, min(jobs, worlds.count))) { _ in
            while let place = take(next, below: worlds.count) {
                let world = worlds[place]
                let orders = sizes.indices.contains(world) ? sizes[world] : Simulation.ordersPerWorld
                let own = seed &* 1_000_003 &+ UInt64(world)
                var part = Simulation.run(seed: own, orders: orders, plant: plant, isShown: isShown)
                part.add(Simulation.offline(seed: own, orders: orders, plant: offlinePlant), to: "offline")
                parts.withLock { $0[world] = part }
                if stopsAtViolation, !part.violations.isEmpty { next.withLock { $0 = worlds.count } }
            }
        }
        return parts.withLock { parts in
            var report = SimulationReport(seed: seed)
            for (world, part) in parts.sorted(by: { $0.key < $1.key }) { report.add(part, world: world) }
            return report
        }
    }

    private func take(_ next: borrowing Mutex<Int>, below end: Int) -> Int? {
        next.withLock { next in
            guard next < end else { return nil }
            defer { next += 1 }
            return next
        }
    }

    /// Runs the offline shop of a world: cards are stored for hours and days, and forwarded when the connection
    /// returns.
    private static func offline(seed: UInt64, orders: Int, plant: OfflineDays.Plant?) -> SimulationReport {
        let executor = SimulatedExecutor()
        let report = Mutex<SimulationReport?>(nil)
        let days = OfflineDays(
            seed: seed ^ 0x0FF1_14E5, orders: max(5, orders / Simulation.ordersPerStoredOne), plant: plant,
            executor: executor)
        Task(executorPreference: executor) {
            let lived = await days.run()
            report.withLock { $0 = lived }
        }
        executor.drain()
        if let report = report.withLock({ $0 }) { return report }
        var endless = SimulationReport(seed: seed)
        endless.violations = ["it does not come to rest"]
        return endless
    }

    private static func run(
        seed: UInt64, orders: Int, plant: PlantedFault?, isShown: Bool
    ) -> SimulationReport {
        let world = SimulatedWorld(seed: seed, plant: plant, horizon: .hours(2), isShown: isShown)
        let start = world.clock.now()
        world.state.withLock { $0.report.payments = orders }
        world.open()
        for index in 0..<orders { world.spawn { await world.sell(index) } }
        func isRestless() -> Bool { world.state.withLock { $0.isRestless || $0.writes > 100 * orders + 1_000 } }
        func runUntil(_ end: Timestamp) {
            world.spawn { try? await world.clock.sleep(for: end.since(world.clock.now())) }
            world.executor.drain()
            while world.clock.now() < end, !isRestless(), world.clock.jump() { world.executor.drain() }
        }
        runUntil(start.adding(.days(4)))
        world.spawn {
            while !world.isOver {
                await world.settleRefunds()
                try? await world.clock.sleep(for: .hours(12))
            }
        }
        world.executor.drain()
        world.state.withLock {
            $0.isCalm = true
            $0.outageUntil = start
        }
        world.shopClock.isWrong(by: .milliseconds(0))
        world.configureAllAccounts()
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
        world.close()
        return report
    }
}
