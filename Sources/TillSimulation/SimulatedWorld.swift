import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillStandIns
import TillStripe
import TillTestSupport

/// A shop with one or two processes over one journal, its customers, a provider, and everything that goes wrong between
/// them, in one thread and one clock.
final class SimulatedWorld: Sendable {
    /// The life of a process: after its end nothing that it does has an effect.
    final class Incarnation: Sendable {
        private let dead = Mutex(false)
        let journal: MemoryJournal
        init(journal: MemoryJournal) { self.journal = journal }
        var isDead: Bool { dead.withLock { $0 } }
        func die() {
            dead.withLock { $0 = true }
            journal.crash()
        }
    }

    /// A process that runs.
    struct Process {
        var engine: Checkout
        var incarnation: Incarnation
        /// Those who wait for a reader.
        var feed: TerminalFeed
    }

    struct State {
        var random: SeededRandom
        /// For what was added later, so that a seed runs the same world as before in all else.
        var later: SeededRandom
        var report: SimulationReport
        var processes: [Process] = []
        /// Who waits for the next process.
        var waiters: [CheckedContinuation<Void, Never>] = []
        var storage = MemoryJournal.Storage()
        /// What a crash leaves of a journal that acknowledges too early.
        var durable = MemoryJournal.Storage()
        var writes = 0
        var webhooks = 0
        var outageUntil = Timestamp(milliseconds: 0)
        var isCalm = false
        var isOver = false
        var created: [PaymentID: OrderID] = [:]
        var acknowledged: [PaymentID: (captured: Int64, refunded: Int64)] = [:]
    }

    let executor = SimulatedExecutor()
    /// The true time, which is also the provider's.
    let clock = SimulatedClock()
    /// The time that the engine sees.
    let shopClock: ShopClock
    let plant: PlantedFault?
    let state: Mutex<State>
    let inner: SandboxProvider
    let readers: SimulatedReaders
    let horizon: Span
    /// How many processes serve the shop.
    let processes: Int
    /// Like Stripe, the provider finds a charge by its reference and not by our names for it.
    let findsByReferenceOnly: Bool
    /// For how long the bank answers for a hold; `nil`: the provider renews none.
    let honorPeriod: Span?

    init(seed: UInt64, plant: PlantedFault?, horizon: Span) {
        self.plant = plant
        self.horizon = horizon
        var random = SeededRandom(seed: seed)
        let preparesFirst = random.chance(600)
        findsByReferenceOnly = preparesFirst && random.chance(500)
        // A journal that loses what it acknowledged does so when its only process dies.
        processes = random.chance(400) && plant != .acknowledgesBeforeDurable ? 2 : 1
        // By another die, so that a seed runs the same world as before in all else.
        var die = SeededRandom(seed: seed ^ 0x3D5E_C0DE)
        let waitsAfterAction = die.chance(500)
        honorPeriod = die.chance(500) ? .days(1) : nil
        state = Mutex(State(random: random, later: die, report: SimulationReport(seed: seed)))
        shopClock = ShopClock(base: clock)
        inner = SandboxProvider(
            store: SandboxMemoryStore(), clock: clock, faults: SandboxFaults(followsTables: false),
            rules: SandboxRules(
                allowsOverRefund: true, pendingRefundAmount: SimulatedWorld.pendingRefund.minorUnits,
                waitsAfterAction: waitsAfterAction, honorPeriod: honorPeriod, allowsOverCapture: true),
            preparesFirst: preparesFirst)
        readers = SimulatedReaders(ledger: inner.ledger, executor: executor)
    }

    /// A refund of so much is not done at once: it succeeds or fails days later.
    static let pendingRefund = Money(minorUnits: 28, currency: .eur)

    /// The provider decides about every refund that is still pending.
    func settleRefunds() async {
        for charge in (try? await inner.ledger.charges()) ?? [] where charge.refunds.contains(where: \.isPending) {
            let succeeds = chance(700)
            count(succeeds ? "pending refund succeeds" : "pending refund fails")
            try? await inner.ledger.settleRefunds(
                of: ProviderReference(rawValue: charge.reference), succeed: succeeds)
        }
    }

    /// Starts a task of this world.
    func spawn(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) { await body() }
    }

    func chance(_ perMille: UInt64) -> Bool { state.withLock { $0.random.chance(perMille) } }
    func laterChance(_ perMille: UInt64) -> Bool { state.withLock { $0.later.chance(perMille) } }
    func number(_ range: ClosedRange<Int64>) -> Int64 { state.withLock { $0.random.number(range) } }
    func count(_ fault: String) { state.withLock { $0.report.faults[fault, default: 0] += 1 } }
    func note(_ text: String) {
        let now = clock.now().milliseconds
        state.withLock { $0.report.hash("\(now) \(text)\n") }
    }
    var isCalm: Bool { state.withLock { $0.isCalm } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func pause(_ range: ClosedRange<Int64>) async { try? await clock.sleep(for: .milliseconds(number(range))) }

    /// Starts everything that is there before the first customer.
    func open() {
        spawn { [self] in await readers.open { self.hear($0) } }
        for _ in 0..<processes { boot() }
        spawn { [self] in
            while !isCalm {
                await pause(600_000...14_400_000)
                guard !isCalm else { break }
                count("clock jumps")
                shopClock.isWrong(by: .milliseconds(number(-3_600_000...3_600_000)))
            }
            shopClock.isWrong(by: .milliseconds(0))
        }
    }

    /// Starts a process over what is durable.
    private func boot() {
        let storage = state.withLock { $0.storage }
        let journal = MemoryJournal(storage: storage, clock: shopClock)
        let incarnation = Incarnation(journal: journal)
        var outer: any Journal = SimulatedJournal(base: journal, incarnation: incarnation, world: self)
        var wire: any HTTPTransport = SimulatedReaderWire(incarnation: incarnation, world: self)
        if let plant {
            outer = PlantedJournal(base: outer, plant: plant, shadow: shadow)
            wire = PlantedReaderWire(base: wire, plant: plant)
        }
        let feed = TerminalFeed()
        var providers: [any PaymentServiceProvider] = [SimulatedProvider(incarnation: incarnation, world: self)]
        if let online = try? StripeProvider(secretKey: SimulatedReaders.key, transport: wire, clock: shopClock) {
            providers.append(StripeTerminalProvider(online, feed: feed))
        }
        if let plant { providers = providers.map { PlantedProvider(base: $0, plant: plant) } }
        let engine = Checkout(journal: outer, providers: providers, clock: shopClock, executor: executor) { [self] in
            state.withLock { $0.random.next() }
        }
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.processes.append(Process(engine: engine, incarnation: incarnation, feed: feed))
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        note("boot")
        guard plant != .recoveryOff else { return }
        let booted = clock.now()
        spawn { [self] in
            while !incarnation.isDead, !isOver {
                _ = try? await engine.recover()
                // Often while customers are there; the remaining queries come hours and days later.
                let isQuiet = clock.now().since(booted) > .hours(3)
                try? await clock.sleep(for: isQuiet ? .minutes(30) : .seconds(20))
            }
        }
    }

    /// A second journal for the planted fault that takes several live payments for one order.
    let shadow = MemoryJournal()

    /// Ends the process here with a small chance, and starts the next one later.
    func mayCrash(_ incarnation: Incarnation, at step: String) -> Bool {
        if incarnation.isDead { return true }
        guard !isCalm, chance(4) else { return false }
        count("crash \(step)")
        note("crash \(step)")
        incarnation.die()
        let plant = plant
        state.withLock { state in
            state.processes.removeAll { $0.incarnation === incarnation }
            if plant == .acknowledgesBeforeDurable { state.storage = state.durable.copy() }
        }
        let isLong = chance(80)
        if isLong { count("window crossed while down") }
        spawn { [self] in
            await pause(isLong ? 88_000_000...100_000_000 : 500...20_000)
            boot()
        }
        return true
    }

    /// A running process, any of them.
    func process() -> Process? {
        state.withLock { state in
            guard let first = state.processes.first else { return nil }
            guard state.processes.count > 1 else { return first }
            return state.processes[Int(state.random.next() % UInt64(state.processes.count))]
        }
    }

    /// A running engine; waits while there is none.
    func engine() async -> Checkout {
        while true {
            if let process = process() { return process.engine }
            await withCheckedContinuation { waiter in state.withLock { $0.waiters.append(waiter) } }
            await pause(0...4000)
        }
    }
}

extension SandboxCharge.Refund {
    fileprivate var isPending: Bool { status == .pending }
}
