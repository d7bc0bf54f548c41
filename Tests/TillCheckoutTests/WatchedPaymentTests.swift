import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// A payment whose customer is at the bank's page, and somebody who watches it.
@Suite("A payment that is watched while its customer has something to do")
struct WatchedPaymentTests {
    private static let challenged = "4000002760003184"

    /// How many seconds after the start the provider was asked, when somebody asks three times in each second.
    private func looks(_ world: World, _ id: PaymentID, for seconds: Int) async throws -> [Int] {
        let began = world.clock.now()
        let provider = QueryTimes(base: world.provider, clock: world.clock)
        let engine = Checkout(journal: world.journal, providers: [provider], clock: world.clock)
        for _ in 0..<seconds {
            world.clock.advance(by: .seconds(1))
            for _ in 0..<3 { try await engine.queryWhileWatched(id) }
        }
        return provider.times.withLock { $0.map { Int($0.since(began).milliseconds / 1000) } }
    }

    /// How many of the engine's looks at the last capture are used up.
    private static func looks(at payment: Payment) -> Int? {
        if case .unknown(let unknown)? = payment.captures.last?.state { unknown.checks } else { nil }
    }

    private func challenged(_ world: World) async throws -> PaymentID {
        let id = try await world.create()
        #expect(try await world.confirm(id, card: Self.challenged).status == .requiresAction)
        return id
    }

    @Test("is looked at after 2, 6, 14, 30 seconds, then every 30, and after ten minutes every five minutes")
    func intervals() async throws {
        let world = World()
        let id = try await challenged(world)
        let expected = [2, 6, 14, 30] + Array(stride(from: 60, through: 600, by: 30)) + [900, 1200]
        #expect(try await looks(world, id, for: 1300) == expected)
    }

    @Test("waits as a pure function of the challenge's age, between named limits")
    func pure() {
        let waits = [0, 2, 6, 14, 30, 60, 599].map { Checkout.watchedInterval(age: .seconds($0)) }
        #expect(waits == [2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        #expect(Checkout.watchedInterval(age: Checkout.watchedLifetime) == CheckSchedule.actionInterval)
        #expect(Checkout.watchedInterval(age: .seconds(-5)) == Checkout.firstWatchedInterval)
        #expect(Checkout.watchedInterval(age: Span(milliseconds: .max)) == CheckSchedule.actionInterval)
    }

    @Test("is paid at the first look after the customer has confirmed, without a webhook and without recovery")
    func paid() async throws {
        let world = World()
        let id = try await challenged(world)
        let reference = try #require(try await world.payment(id).currentAttempt?.reference)
        world.clock.advance(by: .seconds(2))
        try await world.checkout.queryWhileWatched(id)
        #expect(try await world.payment(id).status == .requiresAction)
        _ = try await world.provider.ledger.completeAction(reference, succeeds: true)
        world.clock.advance(by: .seconds(3))
        try await world.checkout.queryWhileWatched(id)
        #expect(try await world.payment(id).status == .requiresAction, "it is not time for a look yet")
        world.clock.advance(by: .seconds(1))
        try await world.checkout.queryWhileWatched(id)
        #expect(try await world.payment(id).status == .succeeded)
        #expect(try await world.problems() == [])
    }

    @Test("looks that find nothing out write nothing, and one that is not answered changes nothing")
    func quiet() async throws {
        let world = World()
        let id = try await challenged(world)
        let before = try await world.payment(id)
        world.faults.fail(.query, with: .outage)
        for _ in 0..<299 {
            world.clock.advance(by: .seconds(1))
            try await world.checkout.queryWhileWatched(id)
        }
        let after = try await world.payment(id)
        #expect(after.version == before.version)
        #expect(after.status == .requiresAction)
        #expect(after.nextDue == before.nextDue)
    }

    @Test("and is not known about is looked at as often, and found out once the provider answers again")
    func unknown() async throws {
        let world = World()
        let id = try await world.create()
        world.faults.keepFailing(.authorize, with: .timeoutAfterCommit)
        world.faults.keepFailing(.query, with: .outage)
        let open = try await world.confirm(id)
        #expect(open.status == .unknown)
        world.clock.advance(by: .seconds(2))
        try await world.checkout.queryWhileWatched(id)
        #expect(try await world.payment(id).version == open.version, "nothing was found out, so nothing is written")
        world.faults.clear()
        world.clock.advance(by: .seconds(3))
        try await world.checkout.queryWhileWatched(id)
        #expect(try await world.payment(id).status == .unknown, "it is not time for a look yet")
        world.clock.advance(by: .seconds(1))
        try await world.checkout.queryWhileWatched(id)
        #expect(try await world.payment(id).status == .succeeded)
        #expect(try await world.problems() == [])
    }

    @Test("uses up no looks while its capture is lost again and again, and is paid once the provider answers")
    func lostCapture() async throws {
        let world = World()
        let id = try await world.create(mode: .manual)
        _ = try await world.confirm(id)
        world.faults.keepFailing(.capture, with: .timeoutBeforeCommit)
        let open = try await world.checkout.capture(id, account: .main)
        #expect(open.status == .unknown)
        let due = try #require(open.nextDue)
        for _ in 0..<120 {
            world.clock.advance(by: .seconds(1))
            try await world.checkout.queryWhileWatched(id)
        }
        let watched = try await world.payment(id)
        #expect(watched.attention.isEmpty && watched.nextDue == due, "\(watched.attention)")
        #expect(Self.looks(at: open) == Self.looks(at: watched))
        world.faults.clear()
        world.clock.advance(by: .seconds(30))
        try await world.checkout.queryWhileWatched(id)
        #expect(try await world.payment(id).status == .succeeded)
        #expect(try await world.problems() == [])
    }

    @Test("that is being canceled, or is decided, or is not there is not looked at")
    func others() async throws {
        let world = World()
        world.faults.keepFailing(.void, with: .outage)
        let id = try await challenged(world)
        let voiding = try await world.checkout.cancel(id, account: .main)
        #expect(voiding.currentAttempt?.void != nil)
        #expect(try await looks(world, id, for: 30) == [])
        let paid = try await world.create("o-2")
        _ = try await world.confirm(paid)
        #expect(try await looks(world, paid, for: 30) == [])
        #expect(try await looks(world, PaymentID(rawValue: "pay_none"), for: 3) == [])
    }

    @Test("is looked at also after the clock was set back")
    func clockBack() async throws {
        let world = World()
        let id = try await challenged(world)
        world.clock.advance(by: .minutes(3))
        try await world.checkout.queryWhileWatched(id)
        let reference = try #require(try await world.payment(id).currentAttempt?.reference)
        _ = try await world.provider.ledger.completeAction(reference, succeeds: true)
        world.clock.advance(by: .hours(-1))
        try await world.checkout.queryWhileWatched(id)
        #expect(try await world.payment(id).status == .succeeded)
    }
}

/// A provider that writes down when it was asked what became of an attempt.
private final class QueryTimes: ProviderInFront {
    let times = Mutex<[Timestamp]>([])
    let base: SandboxProvider
    private let clock: ManualClock
    init(base: SandboxProvider, clock: ManualClock) { (self.base, self.clock) = (base, clock) }

    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        times.withLock { $0.append(clock.now()) }
        return await base.query(request)
    }
}
