import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

@Suite("What the next process, and whoever asks again, finds")
struct RecoveryTests {
    /// Writes an attempt as a process does that dies before it calls anybody.
    private func beginAttempt(_ world: World, _ id: PaymentID) async throws {
        var payment = try await world.payment(id)
        let version = payment.version
        let now = world.clock.now()
        let tender = TenderSummary(kind: .reader)
        let records = try payment.decide(.attempt(provider: .sandbox, tender: tender), at: now)
            .map { RecordedEvent($0, at: now) }
        for record in records { payment.evolve(record) }
        var write = JournalWrite()
        write.append = JournalWrite.Append(
            payment: payment, expectedVersion: version, events: records, nextDue: payment.nextDue, holder: .thisProcess)
        try await world.journal.write(write)
        world.journal.crash()
    }

    private func seen(_ world: World, _ id: PaymentID, _ next: Checkout) async throws -> (Payment, [String]) {
        let journal = MemoryJournal(storage: world.storage, clock: world.clock)
        return (
            try await next.payment(id, account: .main), try await journal.events(of: id).map(\.record.event.name)
        )
    }

    @Test("a payment whose history cannot be right is not touched, and keeps no other one waiting") func damaged()
        async throws
    {
        let world = World(preparesFirst: false)
        let (damaged, sound) = (try await world.create("o-1"), try await world.create("o-2"))
        for id in [damaged, sound] {
            var payment = try await world.payment(id)
            let version = payment.version
            let now = world.clock.now()
            var events = try payment.decide(.attempt(provider: .sandbox, tender: TenderSummary(kind: .reader)), at: now)
            if id == damaged {
                let attempt = AttemptID(rawValue: "\(id)-a1"), refund = RefundID(rawValue: "\(id)-r1")
                events.append(.refundStarted(refund, attempt, World.eur(5), reason: nil))
            }
            let records = events.map { RecordedEvent($0, at: now) }
            for record in records { payment.evolve(record) }
            var write = JournalWrite()
            write.append = JournalWrite.Append(
                payment: payment, expectedVersion: version, events: records, nextDue: now, holder: .nobody)
            try await world.journal.write(write)
        }
        world.clock.advance(by: .minutes(2))
        #expect(try await world.checkout.recover() == 1)
        #expect(try await world.payment(sound).status == .requiresPaymentMethod)
        await #expect(throws: JournalError.self) { try await world.journal.payment(damaged) }
        await #expect(throws: CheckoutError.self) { try await world.checkout.refund(damaged, account: .main) }
        #expect(try await world.provider.ledger.charges().isEmpty)
        #expect(try world.journal.verify().problems.contains { $0.contains("more was refunded than captured") })
    }

    @Test("an attempt whose process died before the money was asked for is closed at once; nobody is asked")
    func diedBeforePreparation() async throws {
        let world = World()
        world.faults.keepFailing(.query, with: .outage)
        world.faults.keepFailing(.void, with: .outage)
        let id = try await world.create()
        try await beginAttempt(world, id)
        let next = world.anotherProcess()
        try await next.recover()
        let (payment, events) = try await seen(world, id, next)
        #expect(payment.status == .requiresPaymentMethod)
        #expect(payment.nextDue == nil)
        #expect(events == ["payment.created", "attempt.started", "attempt.not_sent"])
        #expect(try await world.provider.ledger.charges().isEmpty)
    }

    @Test("without preparation the attempt's key is voided at the provider, so that a late request charges nothing")
    func diedBeforeAuthorization() async throws {
        let world = World(preparesFirst: false)
        let id = try await world.create()
        try await beginAttempt(world, id)
        let next = world.anotherProcess()
        try await next.recover()
        let (payment, events) = try await seen(world, id, next)
        #expect(payment.status == .requiresPaymentMethod)
        #expect(events.suffix(2) == ["void.started", "void.succeeded"])
    }

    @Test(
        "a payment is taken over at once from a process that died while it asked for the money",
        .timeLimit(.minutes(30)))
    func diedDuringAuthorization() async throws {
        let world = World()
        world.faults.fail(.authorize, with: .slow(.hours(1)))
        let id = try await world.create()
        let asking = Task { try await world.confirm(id) }
        while try await !world.journal.events(of: id).contains(where: { $0.record.event.name == "attempt.prepared" }) {
            await Task.yield()
        }
        world.journal.crash()
        let next = world.anotherProcess()
        try await next.recover()
        #expect(try await seen(world, id, next).0.status == .requiresPaymentMethod)
        #expect(try await world.provider.ledger.charges().map(\.state) == [.voided])
        asking.cancel()
        _ = await asking.result
    }

    @Test("who asks again and again uses up no looks, wakes no person and makes the journal no longer")
    func impatience() async throws {
        let world = World()
        world.faults.fail(.authorize, with: .timeoutAfterCommit)
        world.faults.keepFailing(.query, with: .outage)
        let id = try await world.create()
        let first = try await world.confirm(id)
        #expect(first.status == .unknown)
        for _ in 0..<20 {
            world.clock.advance(by: .seconds(3))
            try await world.checkout.query(id)
        }
        let later = try await world.payment(id)
        #expect(later.version == first.version)
        #expect(later.nextDue == first.nextDue)
        #expect(later.attention.isEmpty)
        world.faults.clear()
        try await world.checkout.query(id)
        #expect(try await world.payment(id).status == .succeeded)
    }

    @Test("the provider is asked about one payment every two seconds at most, however many wait") func patience()
        async throws
    {
        let world = World()
        world.faults.fail(.authorize, with: .timeoutAfterCommit)
        world.faults.fail(.query, with: .outage, times: 3)
        let id = try await world.create()
        #expect(try await world.confirm(id).status == .unknown)
        for _ in 0..<20 { try await world.checkout.query(id, ifNotWithin: Checkout.impatientInterval) }
        #expect(try await world.payment(id).status == .unknown)
        for _ in 0..<2 {
            world.clock.advance(by: Checkout.impatientInterval)
            try await world.checkout.query(id, ifNotWithin: Checkout.impatientInterval)
        }
        #expect(try await world.payment(id).status == .succeeded)
    }

    @Test("a webhook whose process died right after it took it is looked at by the next process") func wokenByDead()
        async throws
    {
        let world = World()
        world.faults.fail(.authorize, with: .timeoutAfterCommit)
        world.faults.fail(.query, with: .outage)
        let id = try await world.create()
        #expect(try await world.confirm(id).status == .unknown)
        let now = world.clock.now()
        let receipt = WebhookReceipt(provider: .sandbox, id: "evt_1", at: now)
        try await world.journal.write(JournalWrite(webhook: receipt, wake: (id, now)))
        world.journal.crash()
        let next = world.anotherProcess()
        try await next.recover()
        #expect(try await seen(world, id, next).0.status == .succeeded)
    }

    @Test("a hold that nobody captures is let go at its end, and the order is free") func holdEnds() async throws {
        let world = World()
        let id = try await world.create(mode: .manual)
        #expect(try await world.confirm(id).status == .requiresCapture)
        world.clock.advance(by: .days(6))
        try await world.checkout.recover()
        #expect(try await world.payment(id).attention.count == 1)
        world.clock.advance(by: .days(1))
        try await world.checkout.recover()
        #expect(try await world.payment(id).status == .expired)
        #expect(try await world.provider.ledger.charges().map(\.state) == [.voided])
        let second = try await world.create()
        #expect(try await world.confirm(second).status == .succeeded)
    }

    @Test("a hold is let go also when the provider is away at its end") func holdEndsInOutage() async throws {
        let world = World()
        let id = try await world.create(mode: .manual)
        _ = try await world.confirm(id)
        world.faults.fail(.void, with: .outage, times: 3)
        world.faults.fail(.query, with: .outage, times: 3)
        world.clock.advance(by: .days(7))
        try await world.settle()
        #expect(try await world.payment(id).status == .expired)
        #expect(try await world.problems() == [])
    }

    @Test(
        "what cannot be sent, to a provider without keys, is tried later each time, though it is looked at before each"
    )
    func neverSent() async throws {
        let world = World()
        let id = try await world.paid()
        let provider = ClosedForRefunds(base: world.provider)
        let engine = Checkout(journal: world.journal, providers: [provider], clock: world.clock)
        _ = try await engine.refund(id, account: .main)
        for _ in 0..<1200 {
            world.clock.advance(by: .seconds(1))
            try await engine.recover()
        }
        // After 1, 2, 4 … 256 seconds, then every five minutes.
        let tries = provider.tries.withLock { $0 }
        #expect(tries >= 10 && tries <= 14, "\(tries)")
        #expect(try await world.payment(id).refunds.last?.state.isOpen == true)
    }
}

/// A provider without idempotency keys, to which no refund can be sent now.
private final class ClosedForRefunds: ProviderInFront {
    let tries = Mutex(0)
    let base: SandboxProvider
    init(base: SandboxProvider) { self.base = base }

    var capabilities: ProviderCapabilities {
        var capabilities = base.capabilities
        capabilities.replayWindow = .seconds(0)
        return capabilities
    }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        tries.withLock { $0 += 1 }
        return .notSent(reason: "not settled yet")
    }
}
