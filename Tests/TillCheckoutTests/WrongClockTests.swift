import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// A shop whose machine has a wrong clock, and a provider that has the right one.
private final class WrongClockShop: Sendable {
    /// The machine's clock.
    final class Wall: TillClock {
        let time: ManualClock
        private let error = Mutex(Int64(0))
        init(_ time: ManualClock) { self.time = time }
        func isWrong(by span: Span) { error.withLock { $0 = span.milliseconds } }
        func now() -> Timestamp { time.now().adding(.milliseconds(error.withLock { $0 })) }
        func sleep(for span: Span) async throws { try await time.sleep(for: span) }
    }

    /// One start of the counter.
    struct Process {
        let clock: WitnessedClock
        let journal: MemoryJournal
        let checkout: Checkout
    }

    /// The line to the provider: counts what goes over it, and a refund may be the last that the process sends.
    final class Line: ProviderInFront {
        enum Death { case beforeItArrives, afterItIsDone }
        let base: SandboxProvider
        private let state = Mutex((queries: 0, death: Death?.none, journal: MemoryJournal?.none))
        private let orders = Mutex([String]())
        init(_ base: SandboxProvider) { self.base = base }

        var queries: Int { state.withLock(\.queries) }
        /// The orders that were asked about.
        var asked: [String] { orders.withLock { $0 } }
        /// The next refund is the end of the process.
        func dies(_ death: Death, with journal: MemoryJournal) {
            state.withLock { ($0.death, $0.journal) = (death, journal) }
        }
        func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
            state.withLock { $0.queries += 1 }
            orders.withLock { $0.append(request.context.order.rawValue) }
            return await base.query(request)
        }
        func refund(_ request: RefundRequest) async -> ProviderAnswer<TillCore.Confirmation> {
            let (death, journal) = state.withLock { state in
                defer { state.death = nil }
                return (state.death, state.journal)
            }
            guard let death else { return await base.refund(request) }
            var answer = ProviderAnswer<TillCore.Confirmation>.unknown(reason: "lost")
            if death == .afterItIsDone { answer = await base.refund(request) }
            journal?.crash()
            return answer
        }
    }

    let time = ManualClock(waits: .last)
    let line: Line
    let wall: Wall
    let storage = MemoryJournal.Storage()
    let faults = SandboxFaults()
    let provider: SandboxProvider
    /// The last moment that somebody has confirmed.
    let proved = ManualClock.start

    init() {
        wall = Wall(time)
        provider = SandboxProvider(
            store: SandboxMemoryStore(), clock: time, faults: faults, rules: SandboxRules(allowsOverRefund: true),
            preparesFirst: false)
        line = Line(provider)
    }

    /// - Parameter hears: whether the provider's answers carry the time, which they do from the first call on.
    func start(hears: Bool = false) async throws -> Process {
        let time = time
        let clock = WitnessedClock(wall, monotonic: { Span(milliseconds: time.now().milliseconds) })
        let journal = MemoryJournal(storage: storage, clock: clock)
        clock.compare(floor: try await journal.newestMoment(), proved: proved, hasWitnesses: true)
        if hears { clock.witness(time.now(), from: "provider") }
        return Process(
            clock: clock, journal: journal, checkout: Checkout(journal: journal, providers: [line], clock: clock))
    }

    func sell(
        at process: Process, mode: CaptureMode = .automatic, card: String = "4242424242424242"
    ) async throws -> PaymentID {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: World.eur(100))
        let draft = process.checkout.draft(account: .main, order: order, captureMode: mode)
        let id = try await process.checkout.create(draft).id
        let payload = CardPresentPayload(reader: "r", sealed: Secret("sim:\(card):visa:contact_emv"), card: nil)
        _ = try await process.checkout.confirm(
            id, account: .main, provider: .sandbox, tender: .cardPresent(payload))
        return id
    }

    /// Minutes pass, and the counter does what is due.
    func work(_ process: Process, for span: Span = .minutes(10)) async throws {
        let end = time.now().adding(span)
        while time.now() < end {
            try await process.checkout.recover()
            time.advance(by: min(.minutes(2), end.since(time.now())))
        }
        try await process.checkout.recover()
    }

    func charge() async throws -> SandboxCharge { try #require(try await provider.ledger.charges().first) }
}

@Suite("Right answers under a wrong clock")
struct WrongClockTests {
    private let shop = WrongClockShop()

    /// A refund of which nobody knows whether it was made: the process died while it was made.
    private func openRefund(_ death: WrongClockShop.Line.Death) async throws -> PaymentID {
        let first = try await shop.start(hears: true)
        let id = try await shop.sell(at: first)
        shop.line.dies(death, with: first.journal)
        await #expect(throws: CheckoutError.self) {
            try await first.checkout.refund(id, account: .main, amount: World.eur(30))
        }
        return id
    }

    @Test(
        "a refund that a provider may have forgotten is asked about, however far behind the clock starts",
        arguments: [Span.days(-2), .days(-3), .hours(-47), .days(-300)])
    func refundBehind(_ error: Span) async throws {
        let id = try await openRefund(.afterItIsDone)
        shop.time.advance(by: .days(2))
        shop.wall.isWrong(by: error)
        let next = try await shop.start()
        #expect(!next.clock.standing.isTrusted)
        try await shop.work(next)
        #expect(try await shop.charge().refunded == 30, "refunded twice")
        #expect(try await next.checkout.payment(id, account: .main).refunded == World.eur(30))
    }

    @Test("a refund found undone, and then sent by a process that died, is asked about by a clock that is behind")
    func refundFoundUndone() async throws {
        let id = try await openRefund(.beforeItArrives)
        shop.time.advance(by: .days(2))
        let second = try await shop.start(hears: true)
        shop.line.dies(.afterItIsDone, with: second.journal)
        await #expect(throws: CheckoutError.self) { try await second.checkout.recover() }
        #expect(shop.line.queries == 1)
        #expect(try await shop.charge().refunded == 30)
        // By the journal it is the moment at which that process found it undone.
        shop.time.advance(by: .days(2))
        shop.wall.isWrong(by: .days(-3))
        let third = try await shop.start()
        #expect(!third.clock.standing.isTrusted)
        try await shop.work(third)
        #expect(try await shop.charge().refunded == 30, "refunded twice")
        #expect(try await third.checkout.payment(id, account: .main).refunded == World.eur(30))
    }

    @Test("a refund that never arrived is made under a doubt too, after the provider was asked")
    func refundThatNeverArrived() async throws {
        let id = try await openRefund(.beforeItArrives)
        shop.time.advance(by: .days(2))
        shop.wall.isWrong(by: .days(-3))
        let next = try await shop.start()
        try await shop.work(next)
        #expect(try await shop.charge().refunded == 30)
        #expect(shop.line.queries > 0)
        #expect(try await next.checkout.payment(id, account: .main).refunded == World.eur(30))
    }

    @Test("a live hold is not voided by a clock that is ahead; when its time is over it is", arguments: [true, false])
    func holdAhead(restarts: Bool) async throws {
        let first = try await shop.start(hears: true)
        let id = try await shop.sell(at: first, mode: .manual)
        shop.time.advance(by: .minutes(5))
        shop.wall.isWrong(by: .days(35))
        var process = first
        if restarts {
            first.journal.crash()
            process = try await shop.start()
        }
        #expect(process.clock.standing.doubt != nil)
        try await shop.work(process)
        #expect(try await process.checkout.payment(id, account: .main).status == .requiresCapture)
        #expect(try await shop.charge().released == nil)
        #expect(try await shop.charge().state == .authorized)
        shop.wall.isWrong(by: .days(0))
        process.clock.witness(shop.time.now(), from: "provider")
        try await shop.work(process)
        #expect(try await process.checkout.payment(id, account: .main).status == .requiresCapture)
        shop.time.advance(by: .days(7))
        try await shop.work(process)
        #expect(try await process.checkout.payment(id, account: .main).status == .expired)
    }

    @Test("a capture is refused by a clock that is relied upon, and is the provider's to judge while it is in doubt")
    func captureAhead() async throws {
        let first = try await shop.start(hears: true)
        let id = try await shop.sell(at: first, mode: .manual)
        first.journal.crash()
        shop.wall.isWrong(by: .days(35))
        let next = try await shop.start()
        #expect(next.clock.standing.doubt != nil)
        // A person takes it for right; then the hold has ended.
        let sure = try await shop.start()
        sure.clock.confirm()
        let error = await #expect(throws: CheckoutError.self) { try await sure.checkout.capture(id, account: .main) }
        #expect(error?.code == "authorization_expired")
        #expect(try await shop.charge().captured == 0)
        #expect(try await next.checkout.capture(id, account: .main).status == .succeeded)
        #expect(try await shop.charge().captured == 100)
    }

    @Test("while the clock is in doubt a hold that seems to have ended is asked about every quarter of an hour")
    func holdIsAsked() async throws {
        let first = try await shop.start(hears: true)
        _ = try await shop.sell(at: first, mode: .manual)
        shop.wall.isWrong(by: .days(35))
        let before = shop.line.queries
        let next = try await shop.start()
        for _ in 0..<59 {
            try await next.checkout.recover()
            shop.time.advance(by: .minutes(1))
        }
        #expect(shop.line.queries - before == 4)
        #expect(next.checkout.recovery.setAside.map(\.reason) == [.clockInDoubt])
        #expect(next.checkout.recovery.quarantined.isEmpty, "nobody need do anything about it")
        next.clock.confirm()
        #expect(try await next.checkout.recover() == 1)
        #expect(next.checkout.recovery.setAside.isEmpty)
    }

    @Test("for the time a provider is asked about the newest payment that it has, not about one that it never had")
    func askedForTheTime() async throws {
        let world = World()
        _ = try await world.paid()
        world.clock.advance(by: .seconds(1))
        let other = try await world.create("o-2")
        world.faults.keepFailing(.prepare, with: .outage)
        let unsent = try await world.confirm(other)
        #expect(unsent.attempts[0].reference == nil)
        world.faults.clear()
        world.clock.advance(by: .minutes(5))
        let clock = WitnessedClock(world.clock, monotonic: { .seconds(0) })
        #expect(!clock.standing.isTrusted)
        let line = WrongClockShop.Line(world.provider)
        let checkout = Checkout(
            journal: MemoryJournal(storage: world.storage, clock: clock), providers: [line], clock: clock)
        await checkout.askTheTime()
        #expect(line.asked == ["o-1"])
    }

    @Test("a customer at the bank's page is not given up by a clock that is ahead") func challengeAhead() async throws {
        let first = try await shop.start(hears: true)
        let id = try await shop.sell(at: first, card: "4000002500003155")
        #expect(try await first.checkout.payment(id, account: .main).status == .requiresAction)
        shop.wall.isWrong(by: .days(35))
        let next = try await shop.start()
        shop.time.advance(by: .minutes(6))
        try await shop.work(next)
        #expect(try await next.checkout.payment(id, account: .main).status == .requiresAction)
        shop.wall.isWrong(by: .days(0))
        next.clock.witness(shop.time.now(), from: "provider")
        shop.time.advance(by: .hours(2))
        try await next.checkout.pullBack()
        try await shop.work(next)
        #expect(try await next.checkout.payment(id, account: .main).status == .requiresPaymentMethod)
    }

    @Test("what a clock 300 days ahead has planned is done when the clock is right") func farPlan() async throws {
        let first = try await shop.start(hears: true)
        let id = try await shop.sell(at: first)
        first.clock.confirm()
        shop.wall.isWrong(by: .days(300))
        // A person takes the wrong clock for right: the worst that can be written.
        first.clock.confirm()
        shop.faults.keepFailing(.refund, with: .timeoutAfterCommit)
        shop.faults.keepFailing(.query, with: .outage)
        _ = try await first.checkout.refund(id, account: .main, amount: World.eur(30))
        try await shop.work(first)
        first.journal.crash()
        shop.faults.clear()
        shop.wall.isWrong(by: .days(0))
        let next = try await shop.start(hears: true)
        #expect(try await next.checkout.recover() == 0, "it is planned for a year from now")
        #expect(try await next.checkout.pullBack() == 1)
        try await shop.work(next)
        let payment = try await next.checkout.payment(id, account: .main)
        #expect(payment.refunded == World.eur(30))
        #expect(payment.nextDue == nil)
        #expect(try await shop.charge().refunded == 30)
    }

    @Test("a provider that stays silent is asked at its times after that, not all the time") func farPlanSilent()
        async throws
    {
        let first = try await shop.start(hears: true)
        let id = try await shop.sell(at: first)
        shop.wall.isWrong(by: .days(300))
        first.clock.confirm()
        shop.faults.keepFailing(.refund, with: .timeoutAfterCommit)
        shop.faults.keepFailing(.query, with: .outage)
        _ = try await first.checkout.refund(id, account: .main, amount: World.eur(30))
        try await shop.work(first)
        first.journal.crash()
        shop.wall.isWrong(by: .days(0))
        let next = try await shop.start(hears: true)
        try await next.checkout.pullBack()
        try await next.checkout.recover()
        let planned = try await next.checkout.payment(id, account: .main).nextDue
        let wait = try #require(planned).since(shop.time.now())
        #expect(wait > .seconds(0) && wait <= .days(1))
        #expect(try await next.checkout.recover() == 0)
    }

    @Test("holds that end in weeks are not woken by that") func holdsStay() async throws {
        let first = try await shop.start(hears: true)
        _ = try await shop.sell(at: first, mode: .manual)
        #expect(try await first.checkout.pullBack() == 0)
    }
}
