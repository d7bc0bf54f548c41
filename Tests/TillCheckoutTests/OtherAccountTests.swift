import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// A provider whose key opens the given account.
private struct Keyed: ProviderInFront {
    let base: SandboxProvider
    let who: ProviderIdentity

    func identity() async -> ProviderIdentity { who }
    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        await base.prepare(request)
    }
}

@Suite("Attempts of other accounts") struct OtherAccountTests {
    private static let ours = ProviderIdentity(account: "acct_1", mode: .live, keyFingerprint: "aaaaaaaaaaaa")
    private static let rotated = ProviderIdentity(account: "acct_1", mode: .live, keyFingerprint: "bbbbbbbbbbbb")
    private static let theirs = ProviderIdentity(account: "acct_2", mode: .live, keyFingerprint: "cccccccccccc")
    private static let inTest = ProviderIdentity(account: "acct_1", mode: .test, keyFingerprint: "aaaaaaaaaaaa")
    private static let nameless = ProviderIdentity(account: nil, mode: .live, keyFingerprint: "aaaaaaaaaaaa")
    private static let otherKey = ProviderIdentity(account: nil, mode: .live, keyFingerprint: "bbbbbbbbbbbb")

    /// A process over the world's journal.
    private func process(_ world: World, _ who: ProviderIdentity, _ provider: SandboxProvider? = nil) -> Checkout {
        Checkout(
            journal: MemoryJournal(storage: world.storage, clock: world.clock),
            providers: [Keyed(base: provider ?? world.provider, who: who)], clock: world.clock)
    }

    /// The same provider, seen from an account that has no charges.
    private func empty(_ world: World) -> SandboxProvider {
        SandboxProvider(store: SandboxMemoryStore(), clock: world.clock)
    }

    private var tender: Tender {
        .cardPresent(
            CardPresentPayload(reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil))
    }

    /// Why a command was refused; `nil`: it was not.
    private func refusal(_ command: () async throws -> Payment) async -> CheckoutError? {
        do {
            _ = try await command()
            return nil
        } catch { return error as? CheckoutError }
    }

    @Test("the account is durable with the attempt, before the provider is asked") func recorded() async throws {
        let world = World()
        let id = try await world.create()
        _ = try await process(world, Self.ours).confirm(id, account: .main, provider: .sandbox, tender: tender)
        let events = try await world.journal.events(of: id).map(\.record.event)
        guard case .attemptStarted(let start) = events[1] else {
            Issue.record("the second event is \(events[1].name)")
            return
        }
        #expect(start.identity == Self.ours)
        #expect(try await world.payment(id).attempts.map(\.identity) == [Self.ours])
    }

    @Test(
        "every command to money of another account, or of the other mode, is refused before anything is written",
        arguments: [theirs, inTest])
    func refused(other: ProviderIdentity) async throws {
        let world = World()
        let first = process(world, Self.ours)
        let held = try await world.create("o-1", mode: .manual)
        let taken = try await world.create("o-2")
        for id in [held, taken] {
            _ = try await first.confirm(id, account: .main, provider: .sandbox, tender: tender)
        }
        let second = process(world, other)
        let before = [try await world.payment(held).version, try await world.payment(taken).version]
        let said = [
            await refusal { try await second.capture(held, account: .main) },
            await refusal { try await second.cancel(held, account: .main) },
            await refusal { try await second.refund(taken, account: .main) },
        ]
        for error in said {
            #expect(error?.code == "other_provider_account" && error?.moneyMoved == .no)
            #expect(error?.what.contains("acct_1 (live)") == true)
        }
        #expect([try await world.payment(held).version, try await world.payment(taken).version] == before)
        #expect(try await first.capture(held, account: .main).status == .succeeded)
        #expect(try await first.refund(taken, account: .main).status == .refunded)
    }

    @Test("another account's “not found” frees no order, however long it says so") func notFound() async throws {
        let world = World()
        world.faults.fail(.authorize, with: .timeoutAfterCommit)
        let id = try await world.create()
        let first = process(world, Self.ours)
        _ = try await first.confirm(id, account: .main, provider: .sandbox, tender: tender)
        let version = try await world.payment(id).version
        let second = process(world, Self.theirs, empty(world))
        for wait in [Span.seconds(1), .minutes(6), .hours(2), .days(3)] {
            world.clock.advance(by: wait)
            try await second.recover()
            try await second.query(id)
        }
        #expect(try await world.payment(id).version == version)
        #expect(second.skippedPayments.map(\.payment) == [id])
        await #expect(throws: CheckoutError.self) { try await world.create() }
        try await first.recover()
        #expect(try await world.payment(id).status == .succeeded)
        #expect(try await world.provider.ledger.charges().map(\.captured) == [100])
        try await second.recover()
        world.clock.advance(by: .minutes(6))
        #expect(second.skippedPayments.isEmpty)
    }

    @Test("a new key of the same account goes on with everything") func rotated() async throws {
        let world = World()
        world.faults.fail(.authorize, with: .timeoutAfterCommit)
        let id = try await world.create(mode: .manual)
        _ = try await process(world, Self.ours).confirm(id, account: .main, provider: .sandbox, tender: tender)
        world.clock.advance(by: .minutes(6))
        let second = process(world, Self.rotated)
        try await second.recover()
        #expect(try await second.capture(id, account: .main).status == .succeeded)
    }

    @Test("where the account is not known the same key goes on, and another one proves nothing") func nameless()
        async throws
    {
        let world = World()
        let id = try await world.create(mode: .manual)
        _ = try await process(world, Self.nameless).confirm(id, account: .main, provider: .sandbox, tender: tender)
        for other in [Self.otherKey, Self.rotated] {
            let error = await #expect(throws: CheckoutError.self) {
                try await process(world, other).capture(id, account: .main)
            }
            #expect(error?.code == "other_provider_account" && error?.what.contains("cannot be proved") == true)
        }
        #expect(try await process(world, Self.ours).capture(id, account: .main).status == .succeeded)
        // The account that the same key was found to open stands with the attempt from then on.
        #expect(try await world.payment(id).attempts.map(\.identity) == [Self.ours])
        #expect(try await process(world, Self.rotated).refund(id, account: .main).status == .refunded)
    }

    @Test("an attempt of before accounts were recorded goes on, and is bound by the account that has it") func earlier()
        async throws
    {
        let world = World()
        let id = try await world.create(mode: .manual)
        var payment = try await world.payment(id)
        let now = world.clock.now()
        let started = try payment.decide(.attempt(provider: .sandbox, tender: tender.summary), at: now)
        let records = started.map { RecordedEvent($0, at: now) }
        for record in records { payment.evolve(record) }
        var write = JournalWrite()
        write.append = JournalWrite.Append(
            payment: payment, expectedVersion: 1, events: records, nextDue: payment.nextDue, holder: .nobody)
        try await world.journal.write(write)
        #expect(try await world.payment(id).attempts.map(\.identity) == [nil])
        // Nobody has asked for the money: that the account does not know it binds nothing.
        world.clock.advance(by: .minutes(2))
        try await process(world, Self.theirs, empty(world)).recover()
        #expect(try await world.payment(id).attempts.map(\.identity) == [nil])
        _ = try await process(world, Self.ours).confirm(id, account: .main, provider: .sandbox, tender: tender)
        #expect(try await world.payment(id).attempts.map(\.identity) == [nil, Self.ours])
    }

    @Test("a new try takes nothing over from a try in another account") func newTry() async throws {
        let world = World()
        let id = try await world.create()
        let declined = Tender.cardPresent(
            CardPresentPayload(reader: "r", sealed: Secret("sim:4000000000000002:visa:contact_emv"), card: nil))
        let first = try await process(world, Self.ours).confirm(
            id, account: .main, provider: .sandbox, tender: declined)
        #expect(first.status == .declined)
        let other = empty(world)
        let second = try await process(world, Self.theirs, other).confirm(
            id, account: .main, provider: .sandbox, tender: tender)
        #expect(second.status == .succeeded)
        #expect(try await other.ledger.charges().map(\.captured) == [100])
    }

    @Test("a process of another account that hears of a call takes the payment over from nobody") func heard()
        async throws
    {
        let world = World()
        let id = try await world.create(mode: .manual)
        let ours = process(world, Self.ours)
        var payment = try await ours.confirm(id, account: .main, provider: .sandbox, tender: tender)
        // A process of ours dies while it captures.
        let (version, now) = (payment.version, world.clock.now())
        let events = try payment.decide(.capture(nil, isFinal: true), at: now).map { RecordedEvent($0, at: now) }
        for event in events { payment.evolve(event) }
        var write = JournalWrite()
        write.append = JournalWrite.Append(
            payment: payment, expectedVersion: version, events: events, nextDue: payment.nextDue, holder: .thisProcess)
        try await world.journal.write(write)
        let theirs = process(world, Self.theirs, empty(world))
        let webhook = WebhookReceipt(provider: .sandbox, id: "evt_1", at: now)
        #expect(try await theirs.receiveWebhook(about: id, in: webhook))
        // As long as it lives it is left to it; the webhook has changed nothing about that.
        world.clock.advance(by: .minutes(2))
        #expect(try await ours.recover() == 0)
        world.journal.crash()
        #expect(try await theirs.recover() == 0)
        #expect(try await ours.recover() == 1)
        #expect(try await ours.payment(id, account: .main).status == .succeeded)
    }

    @Test("a process of another account that cancels what holds no money takes no query over") func canceled()
        async throws
    {
        let world = World()
        let id = try await world.create(mode: .manual)
        let ours = process(world, Self.ours)
        _ = try await ours.confirm(id, account: .main, provider: .sandbox, tender: tender)
        world.clock.advance(by: .days(8))
        for _ in 0..<3 { try await ours.recover() }
        let webhook = WebhookReceipt(provider: .sandbox, id: "evt_1", at: world.clock.now())
        #expect(try await ours.receiveWebhook(about: id, in: webhook))
        let theirs = process(world, Self.theirs, empty(world))
        #expect(try await theirs.cancel(id, account: .main).status == .canceled)
        #expect(try await world.payment(id).requestedQuery != nil)
        #expect(try await theirs.recover() == 0)
        #expect(try await ours.recover() == 1)
        #expect(try await world.payment(id).nextDue == nil)
    }
}
