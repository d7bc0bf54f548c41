import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

@Suite("Settled payments are queried without a webhook")
struct AfterSalePollTests {
    private func play(_ event: SandboxAfterSale, of id: PaymentID, in world: World) async throws {
        let charge = try #require(try await world.provider.ledger.charges().first { $0.payment == id.rawValue })
        _ = try #require(
            try await world.provider.ledger.play(event, on: ProviderReference(rawValue: charge.reference)))
    }

    private func poll(_ world: World) -> AfterSalePoll {
        AfterSalePoll(world.checkout, journal: world.journal, clock: world.clock)
    }

    @Test("each age once, and what happened behind our back is found at the next one") func ages() async throws {
        let world = World()
        let id = try await world.paid()
        let poll = poll(world)
        #expect(try await poll.pass() == 0, "not on the day of the sale")
        var passed: Int64 = 0
        for age in AfterSalePoll.ages {
            world.clock.advance(by: .milliseconds(age.milliseconds - passed))
            passed = age.milliseconds
            #expect(try await poll.pass() == 1, "\(age)")
            #expect(try await poll.pass() == 0, "\(age), once")
        }
        let version = try await world.payment(id).version
        try await play(.refund(60), of: id, in: world)
        world.clock.advance(by: .days(100))
        #expect(try await poll.pass() == 0, "it is too old to be polled")
        #expect(try await world.payment(id).version == version, "queries without news write nothing")
        #expect(poll.results[.unchanged] == AfterSalePoll.ages.count)
    }

    @Test("nothing is passed over while the clock is in doubt") func doubted() async throws {
        let world = World()
        _ = try await world.paid()
        let doubted = ClockWithStanding(base: world.clock, standing: .doubted(.jumped(by: .days(365))))
        let ahead = AfterSalePoll(world.checkout, journal: world.journal, clock: doubted)
        world.clock.advance(by: .days(365))
        #expect(try await ahead.pass() == 0)
        world.clock.advance(by: .days(-364))
        #expect(try await poll(world).pass() == 1)
    }

    @Test("a dashboard's refund and a dispute are found, and count from then on") func found() async throws {
        let world = World()
        let id = try await world.paid()
        try await play(.refund(60), of: id, in: world)
        world.clock.advance(by: .days(1))
        #expect(try await poll(world).pass() == 1)
        #expect(try await world.payment(id).refunded == World.eur(60))
        try await play(.dispute(40, reason: "fraudulent", isInquiry: false, respondBy: nil), of: id, in: world)
        world.clock.advance(by: .days(2))
        let poll = poll(world)
        #expect(try await poll.pass() == 1, "a day after the refund became known, and not three after the sale")
        #expect(try await world.payment(id).disputed == World.eur(40) && poll.results[.news] == 1)
        #expect(try await world.problems() == [])
    }

    @Test("a hold that somebody captured in the dashboard is found a day later") func heldMeanwhile() async throws {
        let world = World()
        let id = try await world.create(mode: .manual)
        #expect(try await world.confirm(id).status == .requiresCapture)
        try await play(.capture(nil), of: id, in: world)
        world.clock.advance(by: .days(1))
        #expect(try await poll(world).pass() == 1)
        #expect(try await world.payment(id).captured == World.eur(100))
        #expect(try await world.problems() == [])
    }

    @Test("why a pass ended early is said once, until one goes through") func failing() async throws {
        let world = World()
        _ = try await world.paid()
        let poll = poll(world)
        world.journal.crash()
        let said = Mutex<[CheckoutError]>([])
        let loop = Task { await poll.run { error in said.withLock { $0.append(error) } } }
        for _ in 0..<200 where poll.failures < 3 {
            world.clock.advance(by: AfterSalePoll.interval)
            try await Task.sleep(for: .milliseconds(5))
        }
        loop.cancel()
        world.clock.advance(by: AfterSalePoll.interval)
        await loop.value
        #expect(poll.failures >= 3 && said.withLock { $0.count } == 1)
    }

    @Test("a provider that does not answer is asked by the engine until it does") func outage() async throws {
        let world = World()
        let id = try await world.paid()
        try await play(.refund(60), of: id, in: world)
        world.clock.advance(by: .days(1))
        world.faults.fail(.query, with: .outage, times: 1)
        let poll = poll(world)
        _ = try await poll.pass()
        #expect(poll.results[.unanswered] == 1)
        #expect(try await world.payment(id).nextDue == world.clock.now().adding(.minutes(5)))
        try await world.settle()
        #expect(try await world.payment(id).refunded == World.eur(60))
    }

    @Test("one pass does no more than its batch, goes on where it was, and another process begins there too")
    func batches() async throws {
        let world = World()
        let count = AfterSalePoll.batch + 3
        for number in 0..<count {
            let id = try await world.create("o-\(number)")
            _ = try await world.confirm(id)
        }
        world.clock.advance(by: .days(1))
        #expect(try await poll(world).pass() == AfterSalePoll.batch)
        #expect(try await poll(world).pass() == 3)
        #expect(try await poll(world).pass() == 0)
    }

    @Test("what cannot show more, and what is open, is not polled") func skipped() async throws {
        let world = World()
        let checkout = Checkout(journal: world.journal, providers: [CashDrawer()], clock: world.clock)
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: World.eur(100))
        let id = try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .automatic)).id
        _ = try await checkout.confirm(
            id, account: .main, provider: .cash, tender: .cash(tendered: World.eur(100)))
        world.clock.advance(by: .days(1))
        let poll = AfterSalePoll(checkout, journal: world.journal, clock: world.clock)
        #expect(try await poll.pass() == 0 && poll.results[.skipped] == 1)
    }

    @Test("an event of a clock that was far ahead holds nothing up") func ahead() async throws {
        let world = World()
        world.clock.advance(by: .days(300))
        _ = try await world.paid()
        world.clock.advance(by: .days(-300))
        let id = try await world.create("o-2")
        _ = try await world.confirm(id)
        world.clock.advance(by: .days(1))
        let poll = poll(world)
        _ = try await poll.pass()
        #expect((poll.results[.unchanged] ?? 0) >= 1)
        try await play(.refund(60), of: id, in: world)
        world.clock.advance(by: .days(2))
        _ = try await poll.pass()
        #expect(try await world.payment(id).refunded == World.eur(60))
    }
}
