import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// A provider on whose way the first request for money is held up, and that refuses no late one: a void of what it has
/// not heard of yet leaves no trace there.
private final class SlowWay: ProviderInFront {
    let base: SandboxProvider
    private let heldUp = Mutex<[CheckedContinuation<Void, Never>]>([])
    private let arrived = Mutex(0)
    private let requests = Mutex(0)
    private let isOpen = Mutex(false)

    init(_ base: SandboxProvider) { self.base = base }

    var waiting: Int { heldUp.withLock { $0.count } }
    var arrivals: Int { arrived.withLock { $0 } }

    /// Lets what is under way arrive, and what comes later pass.
    func open() {
        isOpen.withLock { $0 = true }
        for caller in heldUp.withLock({ waiting in
            defer { waiting = [] }; return waiting
        }) { caller.resume() }
    }

    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        let isFirst = requests.withLock { count in
            count += 1; return count == 1
        }
        if isFirst, !isOpen.withLock({ $0 }) {
            await withCheckedContinuation { caller in heldUp.withLock { $0.append(caller) } }
        }
        let answer = await base.authorize(request, with: tender)
        arrived.withLock { $0 += 1 }
        return answer
    }

    func void(_ request: VoidRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        let query = QueryRequest(
            context: request.context, authorizationKey: request.authorizationKey,
            amount: Money(minorUnits: 100, currency: .eur))
        if case .approved(let snapshot) = await base.query(query), snapshot.standing == .notFound {
            return .approved(TillCore.Confirmation(reference: nil))
        }
        return await base.void(request)
    }
}

@Suite("A request for money that arrives after everybody has given it up", .timeLimit(.minutes(10)))
struct LateApprovalTests {
    private let world = World(preparesFirst: false)
    private let provider: SlowWay

    init() { provider = SlowWay(world.provider) }

    private var engine: Checkout { Checkout(journal: world.journal, providers: [provider], clock: world.clock) }

    private func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// Asks for the money, gives it up, and lets `other` find nothing of it and void it.
    private func givenUp(by engine: Checkout, other: Checkout) async throws -> PaymentID {
        let id = try await world.create()
        async let confirmed = engine.confirm(
            id, account: .main, provider: .sandbox, tender: card)
        try await until { provider.waiting == 1 }
        world.clock.advance(by: .seconds(31))
        #expect(try await confirmed.captured.isZero)
        for wait in [Span.minutes(6), .hours(2)] {
            world.clock.advance(by: wait)
            try await other.recover()
        }
        #expect(try await world.payment(id).status == .requiresPaymentMethod)
        return id
    }

    private func holds() async throws -> Int {
        try await world.provider.ledger.charges().count { $0.state == .authorized && $0.captures.isEmpty }
    }

    @Test("holds nothing in the end, and a person is notified, where its answer is heard") func answered() async throws
    {
        let engine = engine
        let id = try await givenUp(by: engine, other: engine)
        provider.open()
        try await until { try await world.payment(id).attempts[0].void?.number == 2 }
        try await until { try await world.payment(id).isAtRest }
        try await check(id, engine)
    }

    @Test("holds nothing in the end where only the provider's webhook tells of it") func reported() async throws {
        let journal = MemoryJournal(storage: world.storage, clock: world.clock)
        let deaf = Checkout(journal: journal, providers: [provider], clock: world.clock)
        let successor = engine
        let id = try await givenUp(by: deaf, other: successor)
        // The process that asked may not write any more by the time of the answer.
        journal.loseLease()
        provider.open()
        try await until { provider.arrivals == 1 }
        #expect(try await holds() == 1)
        let receipt = WebhookReceipt(provider: .sandbox, id: "evt_1", at: world.clock.now())
        #expect(
            try await successor.receiveWebhook(
                WebhookReport(receipt: receipt, payment: id, isAfterSale: false, document: [])))
        try await until {
            try await successor.recover()
            let payment = try await world.payment(id)
            return payment.isAtRest && payment.requestedQuery == nil
        }
        try await check(id, successor)
    }

    @Test("holds nothing in the end where the customer has paid again before the webhook tells of it")
    func paidAgain() async throws {
        let journal = MemoryJournal(storage: world.storage, clock: world.clock)
        let deaf = Checkout(journal: journal, providers: [provider], clock: world.clock)
        let successor = engine
        let id = try await givenUp(by: deaf, other: successor)
        journal.loseLease()
        #expect(try await successor.confirm(id, account: .main, provider: .sandbox, tender: card).status == .succeeded)
        provider.open()
        try await until { provider.arrivals == 2 }
        #expect(try await holds() == 1)
        let attempt = try await world.payment(id).attempts[0].id
        let receipt = WebhookReceipt(provider: .sandbox, id: "evt_1", at: world.clock.now())
        #expect(
            try await successor.receiveWebhook(
                WebhookReport(receipt: receipt, payment: id, attempt: attempt, isAfterSale: false, document: [])))
        try await until {
            try await successor.recover()
            let payment = try await world.payment(id)
            return payment.isAtRest && payment.requestedQuery == nil && payment.attempts[0].void?.state.isOpen == false
        }
        let payment = try await world.payment(id)
        #expect(payment.openAttention.map(\.attention) == [.approvedLate(World.eur(100), isCaptured: false)])
        #expect(payment.captured == World.eur(100) && payment.status == .succeeded)
        #expect(try await holds() == 0)
        #expect(try await world.problems() == [])
    }

    private let card = Tender.cardPresent(
        CardPresentPayload(reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil))

    private func check(_ id: PaymentID, _ engine: Checkout) async throws {
        let payment = try await world.payment(id)
        #expect(payment.openAttention.map(\.attention) == [.approvedLate(World.eur(100), isCaptured: false)])
        #expect(payment.captured.isZero && payment.status == .requiresPaymentMethod)
        #expect(try await holds() == 0)
        // The order is free, and is paid once.
        let paid = try await engine.confirm(id, account: .main, provider: .sandbox, tender: card)
        #expect(paid.status == .succeeded)
        #expect(try await world.problems() == [])
    }
}
