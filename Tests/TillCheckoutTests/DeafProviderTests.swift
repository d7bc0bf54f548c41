import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillTestSupport
import TillSandbox

/// A provider whose money calls reach the sandbox and then keep their answer, whatever the caller cancels, until they
/// are let through; queries it does not answer until then, unless it is told to.
private final class DeafProvider: ProviderInFront {
    private struct State {
        var isDeaf = true
        var answersQueries = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var calls = 0
    }
    let base: SandboxProvider
    private let state = Mutex(State())

    init(_ base: SandboxProvider) { self.base = base }

    var waiting: Int { state.withLock { $0.waiting.count } }
    var calls: Int { state.withLock { $0.calls } }

    func answerQueries() { state.withLock { $0.answersQueries = true } }

    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        guard state.withLock({ $0.answersQueries || !$0.isDeaf }) else { return .unknown(reason: "503") }
        return await base.query(request)
    }

    /// Lets through what waits and what comes.
    func hear() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isDeaf = false
            return state.waiting
        }
        for caller in waiting { caller.resume() }
    }

    private func answer<Answer: Sendable>(_ call: () async -> Answer) async -> Answer {
        state.withLock { $0.calls += 1 }
        let answer = await call()
        await withCheckedContinuation { caller in
            let isDeaf = state.withLock { state in
                if state.isDeaf { state.waiting.append(caller) }
                return state.isDeaf
            }
            if !isDeaf { caller.resume() }
        }
        return answer
    }

    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        await answer { await base.authorize(request, with: tender) }
    }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        await answer { await base.refund(request) }
    }
}

@Suite("A provider that never answers and ignores that nobody waits any more", .timeLimit(.minutes(30)))
struct DeafProviderTests {
    private let world = World(preparesFirst: false)
    private let provider: DeafProvider
    private let checkout: Checkout

    init() {
        provider = DeafProvider(world.provider)
        checkout = Checkout(journal: world.journal, providers: [provider], clock: world.clock)
    }

    private func create(_ order: String = "o-1") async throws -> PaymentID {
        let order = try Order(id: OrderID(rawValue: order), amount: World.eur(100))
        return try await checkout.create(checkout.draft(account: .main, order: order, captureMode: .automatic)).id
    }

    private func confirm(_ id: PaymentID, card: String = "4242424242424242") async throws -> Payment {
        let payload = CardPresentPayload(reader: "r", sealed: Secret("sim:\(card):visa:contact_emv"), card: nil)
        return try await checkout.confirm(id, account: .main, provider: .sandbox, tender: .cardPresent(payload))
    }

    /// Waits until something is so; the suite's time limit ends it otherwise.
    private func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func status(_ id: PaymentID) async throws -> PaymentStatus {
        try await checkout.payment(id, account: .main).status
    }

    /// Confirms and gives the provider up.
    private func givenUp(_ order: String = "o-1", card: String = "4242424242424242") async throws -> PaymentID {
        let id = try await create(order)
        let waiting = provider.waiting
        async let confirmed = confirm(id, card: card)
        try await until { provider.waiting > waiting }
        world.clock.advance(by: .seconds(31))
        #expect(try await confirmed.status == .unknown)
        return id
    }

    @Test("holds the engine no longer than its deadline: the outcome is unknown, and a query finds the money")
    func deadline() async throws {
        let id = try await givenUp()
        #expect(try await checkout.payment(id, account: .main).moneyMoved == .unknown)
        provider.answerQueries()
        world.clock.advance(by: .minutes(6))
        try await checkout.recover()
        #expect(try await status(id) == .succeeded)
        #expect(try await world.problems() == [])
    }

    @Test("holds a caller that is not wanted any more not even so long") func canceled() async throws {
        let id = try await create()
        let sale = Task { try await confirm(id) }
        try await until { provider.waiting == 1 }
        sale.cancel()
        #expect(try await sale.value.status == .unknown)
    }

    @Test("is heard when it says yes after all, and what follows is done: the hold is captured") func lateYes()
        async throws
    {
        let id = try await givenUp()
        provider.hear()
        try await until { try await status(id) == .succeeded }
        // The capture is waited for like any other: it is not given up with the call that it follows.
        let names = try await world.journal.events(of: id).map(\.record.event.name)
        #expect(names.suffix(3) == ["attempt.authorized", "capture.started", "capture.succeeded"])
        #expect(try await checkout.recover() == 0)
        #expect(try await world.problems() == [])
    }

    @Test("is not heard when it says no: its key may have been sent again meanwhile") func lateNo() async throws {
        let id = try await givenUp(card: "4000000000000002")
        provider.hear()
        try await until { provider.waiting == 0 }
        try await Task.sleep(for: .milliseconds(50))
        #expect(try await status(id) == .unknown)
        world.clock.advance(by: .minutes(6))
        try await checkout.recover()
        #expect(try await status(id) == .declined)
    }

    @Test("is not asked any more while too many calls to it run on, and is asked again when they have ended")
    func bound() async throws {
        var ids: [PaymentID] = []
        for number in 0..<Checkout.maximumAbandonedCalls { ids.append(try await givenUp("o-\(number)")) }
        let calls = provider.calls
        let id = try await create("o-last")
        #expect(try await confirm(id).status == .requiresPaymentMethod)
        #expect(provider.calls == calls)
        provider.hear()
        try await until { try await confirm(id).status == .succeeded }
        for id in ids { try await until { try await status(id) == .succeeded } }
        #expect(try await world.problems() == [])
    }
}
