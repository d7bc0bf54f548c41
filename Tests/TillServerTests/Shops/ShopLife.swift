import Foundation
import HTTPTypes
import Logging
import Synchronization
import TillCheckout
import TillCore
@testable import TillCounter
@testable import TillFeatureOrders
@testable import TillFeatureShops
import TillJournal
import TillSandbox
import TillShop
import TillStandInShop
import TillTestSupport
import TillWeb

/// A connected shop with two counters on one journal, customers, the shop's employees, and every fault between them: a
/// world of a seed, on one thread and one clock.
///
/// Of its orders about half are plain: nobody changes them in the shop, so that no review item excuses a difference.
final class ShopLife: Sendable {
    /// A running counter.
    struct Till: Sendable {
        let process: ShopProcessLife
        let checkout: Checkout
        let book: OrderBook
        let shops: ConnectedShops
        let links: LinkedOrders
        let sync: ShopSync
    }

    struct State {
        var random: SeededRandom
        var tills: [Till] = []
        var isCalm = false
        var outUntil = Timestamp(milliseconds: 0)
        /// The transactions of payments that the planted transport kept from the shop.
        var withheld: [Int64: String] = [:]
        /// The orders that nobody changes in the shop.
        var plain: Set<Int64> = []
        var story: [String] = []
        var counts: [String: Int] = [:]
    }

    /// The orders of a world.
    static let orders = 4
    /// Moments that a world may have; one that has more does not come to rest.
    static let maximumMoments = 1_000_000
    /// The rounds after the faults, with pauses that end every wait after a failure.
    private static let rounds = 6
    /// Deaths at a call or a write, of a thousand.
    private static let deaths: UInt64 = 3
    private static let home = "https://shop.example"

    let plant: ShopPlant?
    let executor: SimulatedExecutor
    /// The true time, which is also the shop's and the provider's.
    let clock: SimulatedClock
    /// The counters' time.
    let machine: ShopLifeClock
    let shop: SandboxShopTransport
    let provider: SandboxProvider
    /// `true` if the shop carries out some calls after they were given up. Nothing dies in such a world, and no clock
    /// moves: a shop that is slower than the pause after a slow call has no defense.
    let isLate: Bool
    private let storage = MemoryJournal.Storage()
    private let pepper: Pepper
    private let start: Timestamp
    let state: Mutex<State>

    /// - Parameter folder: an existing folder for the pepper.
    init(
        seed: UInt64, plant: ShopPlant?, isLate: Bool, folder: String, clock: SimulatedClock,
        executor: SimulatedExecutor
    ) async {
        (self.plant, self.isLate, self.clock, self.executor) = (plant, isLate, clock, executor)
        machine = ShopLifeClock(base: clock)
        shop = await SandboxShopTransport(clock: clock, home: ShopLife.home)
        provider = SandboxProvider(
            store: SandboxMemoryStore(), clock: clock, faults: SandboxFaults(followsTables: false))
        pepper = Pepper(besideJournal: folder + "/journal")
        start = clock.now()
        state = Mutex(State(random: SeededRandom(seed: seed)))
    }

    /// Lives through the faults, lets everything settle, and judges.
    /// - Returns: the broken rules.
    func live() async -> [String] {
        do { try await connect() } catch { return ["the shop was not connected: \(error)"] }
        boot()
        boot()
        spawn { [self] in await weather() }
        spawn { [self] in await clocks() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<ShopLife.orders { group.addTask { [self] in await sell() } }
        }
        do {
            try await settle()
            return try await judge()
        } catch { return ["it does not settle: \(error)"] }
    }

    private func connect() async throws {
        let journal = MemoryJournal(storage: storage, clock: machine)
        let shops = ConnectedShops(journal, pepper: pepper, clock: machine, mode: .test)
        let key = try ShopKey(key: "ck_sandbox", secret: Secret("cs_sandbox"))
        let request = ConnectedShops.Request(url: try ShopURL(ShopLife.home), key: key, isTestShop: true)
        _ = try await shops.connect(request, account: .main)
        journal.crash()
    }

    /// Starts a process over the durable state.
    private func boot() {
        let process = ShopProcessLife(MemoryJournal(storage: storage, clock: machine))
        let journal = ShopLifeJournal(base: process.journal, life: self, process: process)
        let checkout = Checkout(
            journal: journal, providers: [CashDrawer(), provider], clock: machine, executor: executor
        ) { [self] in state.withLock { $0.random.next() } }
        let shops = ConnectedShops(journal, pepper: pepper, clock: machine, mode: .test)
        let book = OrderBook(journal, checkout: checkout, feed: EventFeed(), clock: machine)
        var logger = Logger(label: "shops")
        logger.logLevel = .critical
        let sync = ShopSync(
            shops, book: book, checkout: checkout, scope: nil, logger: logger,
            transport: ShopLifeWire(life: self, process: process))
        let till = Till(
            process: process, checkout: checkout, book: book, shops: shops,
            links: LinkedOrders(store: journal, clock: machine), sync: sync)
        state.withLock { $0.tills.append(till) }
        note("a counter starts")
        spawn { [self] in
            while !process.isDead, !isCalm {
                await pause(5_000...90_000)
                _ = try? await checkout.recover()
                _ = try? await sync.step()
            }
        }
    }

    /// Ends the faults and lets the counters work until nothing waits.
    private func settle() async throws {
        state.withLock {
            $0.isCalm = true
            $0.outUntil = start
        }
        machine.isWrong(by: .milliseconds(0))
        await ask(.delete, "/_sandbox/faults")
        note("the faults end")
        // What was begun ends, also calls that the shop carries out late.
        await clock.pause(for: .minutes(15))
        if till() == nil { boot() }
        for _ in 0..<ShopLife.rounds {
            await clock.pause(for: .hours(7))
            for till in state.withLock({ $0.tills }) {
                try await till.checkout.recover()
                _ = try await till.sync.step()
            }
        }
    }

    // MARK: Faults

    private static let operations = [
        "list", "read", "update", "update", "refund", "refund", "refunds", "note", "notes",
    ]
    private static let faults = [
        "timeoutBeforeCommit", "timeoutAfterCommit", "dropBeforeCommit", "dropAfterCommit", "error500",
        "serverErrorAfterSuccess", "outage", "html", "htmlAfterCommit", "slow", "duplicateDelivery",
    ]

    /// Plans the shop's faults.
    private func weather() async {
        while !isCalm {
            await pause(10_000...200_000)
            guard !isCalm else { return }
            if chance(60) {
                let span = Span.milliseconds(draw(60_000...1_500_000))
                state.withLock { $0.outUntil = clock.now().adding(span) }
                note("the shop is out for \(span.milliseconds / 1_000) s")
                continue
            }
            let operation = ShopLife.operations[below(ShopLife.operations.count)]
            let fault = ShopLife.faults[below(ShopLife.faults.count)]
            // A refund or a note that arrives twice by itself is there twice, and so is a note that a process which has
            // died meanwhile had sent: no client can prevent that.
            if operation == "refund" || operation == "note", fault == "duplicateDelivery" { continue }
            if operation == "note", fault == "slow" { continue }
            count(fault)
            note("fault: \(fault) at the next \(operation)")
            await ask(
                .post, "/_sandbox/faults",
                .members([
                    "operation": .string(operation), "fault": .string(fault),
                    "times": .number(String(draw(1...2))),
                    "milliseconds": .number(String(draw(1_000...20_000))),
                ]))
        }
    }

    /// Moves the clock of the counters' machine.
    private func clocks() async {
        while !isCalm, !isLate {
            await pause(300_000...1_500_000)
            guard !isCalm else { return }
            let error = Span.milliseconds(draw(-3_600_000...3_600_000))
            machine.isWrong(by: error)
            count("clock")
            note("the counters' clock is \(error.milliseconds / 1_000) s off")
        }
    }

    /// Ends the process here with a small probability, and starts another one later.
    func mayDie(_ process: ShopProcessLife, _ step: String, perMille: UInt64 = ShopLife.deaths) -> Bool {
        if process.isDead { return true }
        guard !isLate, !isCalm, chance(perMille) else { return false }
        count("death")
        note("a counter dies \(step)")
        process.die()
        state.withLock { $0.tills.removeAll { $0.process === process } }
        spawn { [self] in
            await pause(500...90_000)
            if !isCalm { boot() }
        }
        return true
    }

    var isCalm: Bool { state.withLock { $0.isCalm } }
    var isOut: Bool { state.withLock { $0.outUntil > clock.now() } }

    /// Returns `true` for a call that the shop is to carry out after it was given up.
    func isLateThisTime() -> Bool { isLate && !isCalm && chance(120) }

    /// Carries a call out when nobody waits for it any more.
    func carryOutLate(_ request: HTTPRequest, _ body: [UInt8]) {
        let span = Span.milliseconds(draw(31_000...100_000))
        count("late call")
        note("\(request.method) \(request.path?.prefix { $0 != "?" } ?? "") comes \(span.milliseconds / 1_000) s late")
        spawn { [self] in
            await clock.pause(for: span)
            _ = try? await shop.send(request, body: body, deadline: .seconds(30))
        }
    }

    /// The time that a message is on its way.
    func travel() async {
        await pause(isCalm ? 10...50 : chance(40) ? 2_000...12_000 : 20...1_200)
    }

    func withhold(_ transaction: String, of order: Int64) { state.withLock { $0.withheld[order] = transaction } }
    func withheld(of order: Int64) -> String? { state.withLock { $0.withheld[order] } }

    // MARK: Chance and story

    /// Returns a running counter, any of them; `nil` if there is none.
    func till() -> Till? {
        state.withLock { state in
            guard !state.tills.isEmpty else { return nil }
            return state.tills[state.random.below(state.tills.count)]
        }
    }

    func spawn(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) { await body() }
    }

    func chance(_ perMille: UInt64) -> Bool { state.withLock { $0.random.chance(perMille) } }
    func draw(_ range: ClosedRange<Int64>) -> Int64 { state.withLock { $0.random.number(range) } }
    func below(_ limit: Int) -> Int { state.withLock { $0.random.below(limit) } }
    func pause(_ range: ClosedRange<Int64>) async { await clock.pause(for: .milliseconds(draw(range))) }
    func count(_ event: String) { state.withLock { $0.counts[event, default: 0] += 1 } }

    func note(_ text: String) {
        let seconds = clock.now().since(start).milliseconds / 1_000
        state.withLock { $0.story.append("\(seconds) s: \(text)") }
    }

    /// Asks the shop as its employees do, past the faults of the way.
    @discardableResult
    func ask(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async -> JSONValue? {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "shop.example", path: path, headerFields: fields)
        do throws(TransportFailure) {
            let reply = try await shop.send(request, body: body?.bytes() ?? [], deadline: .seconds(30))
            guard (200...299).contains(reply.response.status.code) else { return nil }
            return JSONValue(ifValid: reply.body)
        } catch { return nil }
    }
}

/// The clock of the counters' machine, which is wrong at times.
final class ShopLifeClock: TillClock {
    private let base: SimulatedClock
    private let error = Mutex(Int64(0))

    init(base: SimulatedClock) { self.base = base }

    func now() -> Timestamp { base.now().adding(.milliseconds(error.withLock { $0 })) }
    func sleep(for span: Span) async throws { try await base.sleep(for: span) }
    func isWrong(by span: Span) { error.withLock { $0 = span.milliseconds } }
}
