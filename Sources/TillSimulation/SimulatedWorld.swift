import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillStandInStripe
import TillStripe
import TillTestSupport

/// A shop with one or two processes over one journal, its customers, a provider, and every fault between them, on one
/// thread and one clock.
final class SimulatedWorld: Sendable {
    /// The life of a process: after its end its actions have no effect.
    final class Incarnation: Sendable {
        private let dead = Mutex(false)
        let journal: MemoryJournal
        /// The clock that it uses.
        let clock: any TillClock
        /// The epoch of the journal in which it runs.
        let epoch: Int64
        init(journal: MemoryJournal, clock: any TillClock, epoch: Int64) {
            (self.journal, self.clock, self.epoch) = (journal, clock, epoch)
        }
        /// Compares the clock with the time in a provider's response.
        func hears(_ date: Timestamp) { (clock as? WitnessedClock)?.witness(date, from: "provider") }
        var isDead: Bool { dead.withLock { $0 } }
        func die() {
            dead.withLock { $0 = true }
            journal.crash()
        }
    }

    /// A running process.
    struct Process {
        var engine: Checkout
        var incarnation: Incarnation
        /// The feed that waits for reader events.
        var feed: TerminalFeed
    }

    struct State {
        var random: SeededRandom
        /// For features added later, so that a seed otherwise runs the same world as before.
        var later: SeededRandom
        /// For the hostile world: late commits, stored failures, rejected keys, events after the sale.
        var hostile: SeededRandom
        /// The state left by restores, where backups are restored.
        var past: Past
        var report: SimulationReport
        var processes: [Process] = []
        /// The tasks that wait for the next process.
        var waiters: [CheckedContinuation<Void, Never>] = []
        var storage = MemoryJournal.Storage()
        /// The state that a crash leaves of a journal that acknowledges too early.
        var durable = MemoryJournal.Storage()
        var writes = 0
        /// `true` once a payment has had more events than any that settles.
        var isRestless = false
        var webhooks = 0
        var outageUntil = Timestamp(milliseconds: 0)
        /// The time until which the provider rejects the shop's own key.
        var rejectedUntil = Timestamp(milliseconds: 0)
        /// Keys under which the provider repeats the failure of their first use.
        var spent: Set<IdempotencyKey> = []
        /// Keys of operations that met a rejected credential.
        var rejected: Set<IdempotencyKey> = []
        /// The index of the provider account that the shop's credentials belong to.
        var configured = 0
        var isCalm = false
        var isOver = false
        var created: [PaymentID: OrderID] = [:]
        /// The orders to be paid, for selling them again after a restore.
        var bills: [OrderID: Bill] = [:]
        var acknowledged: [PaymentID: (captured: Int64, refunded: Int64)] = [:]
    }

    let executor = SimulatedExecutor()
    /// The true time, which is also the provider's.
    let clock = SimulatedClock()
    /// The time that the engine sees.
    let shopClock: ShopClock
    let plant: PlantedFault?
    let state: Mutex<State>
    /// The provider accounts of this shop: one, or two if its credentials change.
    let accounts: [SandboxProvider]
    /// The time for which a search by Till's own identifiers does not find a new charge; `nil` if it finds it at once.
    let searchLag: Span?
    let readers: WorldReaders
    let horizon: Span
    /// The number of processes that serve the shop.
    let processes: Int
    /// `true` if the provider, like Stripe, finds a charge by its reference and not by Till's identifiers.
    let findsByReferenceOnly: Bool
    /// `true` if the machine's clock is wrong by days, in both directions, and compared with the provider's.
    let isDaysWrong: Bool
    /// `true` if the journal's disk is lost at times and an old backup restored.
    let restoresBackups: Bool
    /// The time for which the issuer guarantees a hold; `nil` if the provider renews none.
    let honorPeriod: Span?

    /// `true` to print every call and every write.
    let isShown: Bool

    init(seed: UInt64, plant: PlantedFault?, horizon: Span, isShown: Bool = false) {
        self.plant = plant
        self.isShown = isShown
        self.horizon = horizon
        var random = SeededRandom(seed: seed)
        let preparesFirst = random.chance(600)
        findsByReferenceOnly = preparesFirst && random.chance(500)
        // A journal that loses acknowledged writes does so when its only process dies.
        processes = random.chance(400) && plant != .acknowledgesBeforeDurable ? 2 : 1
        // From another generator, so that a seed otherwise runs the same world as before.
        var die = SeededRandom(seed: seed ^ 0x3D5E_C0DE)
        let waitsAfterAction = die.chance(500)
        honorPeriod = die.chance(500) ? .days(1) : nil
        var hostile = SeededRandom(seed: seed ^ 0x0BAD_DA45)
        let hasTwoAccounts = hostile.chance(150)
        searchLag = !preparesFirst && hostile.chance(600) ? .milliseconds(hostile.number(5_000...600_000)) : nil
        var third = SeededRandom(seed: seed ^ 0xC10C_C10C)
        isDaysWrong = third.chance(400) || plant == .clockBelieved
        var past = SeededRandom(seed: seed ^ 0xBAC0_0B17)
        restoresBackups =
            !hasTwoAccounts && (plant == nil ? past.chance(200) : plant?.isOfRestores == true)
        state = Mutex(
            State(
                random: random, later: die, hostile: hostile, past: Past(random: past),
                report: SimulationReport(seed: seed)))
        shopClock = ShopClock(base: clock)
        let honored = honorPeriod
        accounts = (hasTwoAccounts ? ["sandbox", "sandbox-2"] : ["sandbox"]).map { [clock] account in
            SandboxProvider(
                store: SandboxMemoryStore(), clock: clock, faults: SandboxFaults(followsTables: false),
                rules: SandboxRules(
                    allowsOverRefund: true, pendingRefundAmount: SimulatedWorld.pendingRefund.minorUnits,
                    waitsAfterAction: waitsAfterAction, honorPeriod: honored, allowsOverCapture: true),
                preparesFirst: preparesFirst, account: account)
        }
        readers = WorldReaders(ledger: accounts[0].ledger, executor: executor)
    }

    /// The amount of a refund that stays pending: it succeeds or fails days later.
    static let pendingRefund = Money(minorUnits: 28, currency: .eur)

    /// Settles or fails every pending refund.
    func settleRefunds() async {
        for ledger in accounts.map(\.ledger) {
            for charge in (try? await ledger.charges()) ?? [] where charge.refunds.contains(where: \.isPending) {
                let succeeds = chance(700)
                count(succeeds ? "pending refund succeeds" : "pending refund fails")
                try? await ledger.settleRefunds(of: ProviderReference(rawValue: charge.reference), succeed: succeeds)
            }
        }
    }

    /// Starts a task of this world.
    func spawn(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) { await body() }
    }

    func chance(_ perMille: UInt64) -> Bool { state.withLock { $0.random.chance(perMille) } }
    func laterChance(_ perMille: UInt64) -> Bool { state.withLock { $0.later.chance(perMille) } }
    func hostileChance(_ perMille: UInt64) -> Bool { state.withLock { $0.hostile.chance(perMille) } }
    func hostileNumber(_ range: ClosedRange<Int64>) -> Int64 { state.withLock { $0.hostile.number(range) } }
    func number(_ range: ClosedRange<Int64>) -> Int64 { state.withLock { $0.random.number(range) } }
    func count(_ fault: String) { state.withLock { $0.report.faults[fault, default: 0] += 1 } }
    /// Adds an event to the trace.
    /// - Parameter details: additional output for an inspected world, too expensive to compute for all.
    func note(_ text: String, _ details: @autoclosure () -> String = "") {
        let now = clock.now().milliseconds
        if isShown { print(now, text, details()) }
        state.withLock { $0.report.hash("\(now) \(text)\n") }
    }
    var isCalm: Bool { state.withLock { $0.isCalm } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func pause(_ range: ClosedRange<Int64>) async { try? await clock.sleep(for: .milliseconds(number(range))) }

    /// Starts everything that exists before the first customer.
    func open() {
        spawn { [self] in await readers.open { self.hear($0) } }
        for _ in 0..<processes { boot() }
        spawn { [self] in await changeCredentials() }
        spawn { [self] in await restoreBackups() }
        spawn { [self] in
            while !isCalm {
                await pause(600_000...14_400_000)
                guard !isCalm else { break }
                count("clock jumps")
                shopClock.isWrong(by: .milliseconds(error()))
            }
            shopClock.isWrong(by: .milliseconds(0))
        }
    }

    /// The maximum number of jobs run for tasks that still waited when a world was closed.
    private static let jobsAtTheEnd = 1_000_000

    /// Ends all tasks that still wait, so that a finished world is released from memory.
    func close() {
        readers.close()
        clock.end()
        executor.drain(limit: SimulatedWorld.jobsAtTheEnd)
        let processes = state.withLock { state in
            defer { state.processes = [] }
            return state.processes
        }
        for process in processes { process.incarnation.die() }
    }

    /// Returns the next error of the machine's clock: ahead by as much as holds last and keys are retained, or behind.
    private func error() -> Int64 {
        guard isDaysWrong else { return number(-3_600_000...3_600_000) }
        return number(number(0...1) == 0 ? -259_200_000 ... -86_400_000 : 86_400_000...3_024_000_000)
    }

    /// Starts a process over the durable state.
    /// - Parameter account: the index of the provider account; `nil` for the one that the shop has configured.
    func boot(account: Int? = nil) {
        let account = account ?? state.withLock { $0.configured }
        let storage = state.withLock { $0.storage }
        let clock = clock
        let witnessed = WitnessedClock(shopClock, monotonic: { Span(milliseconds: clock.now().milliseconds) })
        let machine: any TillClock = isDaysWrong && plant != .clockBelieved ? witnessed : shopClock
        let journal = MemoryJournal(storage: storage, clock: machine)
        let incarnation = Incarnation(journal: journal, clock: machine, epoch: epoch)
        var outer: any Journal & RecordStore = SimulatedJournal(base: journal, incarnation: incarnation, world: self)
        var wire: any HTTPTransport = SimulatedReaderWire(incarnation: incarnation, world: self)
        if let plant {
            outer = PlantedJournal(base: outer, plant: plant, shadow: shadow)
            wire = PlantedReaderWire(base: wire, plant: plant)
        }
        let feed = TerminalFeed()
        var providers: [any PaymentServiceProvider] = [
            SimulatedProvider(incarnation: incarnation, world: self, account: account)
        ]
        if let online = try? StripeProvider(secretKey: WorldReaders.key, transport: wire, clock: machine) {
            providers.append(StripeTerminalProvider(online, feed: feed))
        }
        if let plant { providers = providers.map { PlantedProvider(base: $0, plant: plant) } }
        let engine = Checkout(journal: outer, providers: providers, clock: machine, executor: executor) { [self] in
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
        let store = outer
        spawn { [self] in
            witnessed.compare(floor: try? await journal.newestMoment(), proved: nil, hasWitnesses: true)
            await sweep(engine, store, of: incarnation, account)
            while !incarnation.isDead, !isOver {
                _ = try? await engine.recover()
                if isDaysWrong {
                    // Like the counter's clock keeper: work that a wrong clock scheduled far ahead triggers no time
                    // check by itself.
                    if !machine.standing.isTrusted { await engine.askTheTime() }
                    _ = try? await engine.pullBack()
                }
                if restoresBackups { await poll(engine, store, machine) }
                // Often while there are customers; the remaining queries come hours and days later.
                let isQuiet = clock.now().since(booted) > .hours(3)
                try? await clock.sleep(for: isQuiet ? .minutes(30) : .seconds(20))
            }
        }
    }

    /// A second journal for the planted fault that accepts several live payments for one order.
    let shadow = MemoryJournal()

    /// Ends the process here with a small probability, and starts the next one later.
    func mayCrash(_ incarnation: Incarnation, at step: String) -> Bool {
        if incarnation.isDead { return true }
        guard !isCalm, chance(4) else { return false }
        count("crash \(step)")
        note("crash \(step)")
        end(incarnation)
        let isLong = chance(80)
        if isLong { count("window crossed while down") }
        spawn { [self] in
            await pause(isLong ? 88_000_000...100_000_000 : 500...20_000)
            boot()
        }
        return true
    }

    /// Ends a process; its later actions have no effect.
    func end(_ incarnation: Incarnation) {
        incarnation.die()
        let plant = plant
        state.withLock { state in
            state.processes.removeAll { $0.incarnation === incarnation }
            if plant == .acknowledgesBeforeDurable { state.storage = state.durable.copy() }
        }
    }

    /// Returns any running process.
    func process() -> Process? {
        state.withLock { state in
            guard let first = state.processes.first else { return nil }
            guard state.processes.count > 1 else { return first }
            return state.processes[Int(state.random.next() % UInt64(state.processes.count))]
        }
    }

    /// Returns a running engine, waiting while there is none.
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
