import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillSimulation

/// Holds every call to the journal and the provider until it is let through, so that a test can choose the order.
final class Gate: Sendable {
    private struct State {
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isOpen = true
    }
    private let state = Mutex(State())

    func setOpen(_ isOpen: Bool) { state.withLock { $0.isOpen = isOpen } }
    var waiting: Int { state.withLock { $0.waiting.count } }

    func pass() async {
        guard !state.withLock({ $0.isOpen }) else { return }
        await withCheckedContinuation { continuation in state.withLock { $0.waiting.append(continuation) } }
    }

    func letThrough(_ index: Int) {
        let continuation = state.withLock { state in
            state.waiting.indices.contains(index) ? state.waiting.remove(at: index) : nil
        }
        continuation?.resume()
    }
}

/// A journal each of whose steps waits at a gate.
struct GatedJournal: Journal {
    let base: MemoryJournal
    let gate: Gate
    func write(_ write: JournalWrite) async throws(JournalError) {
        await gate.pass()
        try await base.write(write)
    }
    func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
        await gate.pass()
        return try await base.payment(id)
    }
    func livePayment(account: AccountID, order: OrderID) async throws(JournalError) -> Payment? {
        try await base.livePayment(account: account, order: order)
    }
    func payments(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRow] {
        try await base.payments(filter)
    }
    func events(of payment: PaymentID) async throws(JournalError) -> [StoredEvent] {
        try await base.events(of: payment)
    }
    func events(after sequence: Int64, account: AccountID?, limit: Int) async throws(JournalError) -> [StoredEvent] {
        try await base.events(after: sequence, account: account, limit: limit)
    }
    func due(at moment: Timestamp, limit: Int) async throws(JournalError) -> [PaymentID] {
        try await base.due(at: moment, limit: limit)
    }
    func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord? {
        try await base.idempotency(scope)
    }
}

/// A provider each of whose calls waits at a gate.
struct GatedProvider: PaymentServiceProvider {
    let base: SandboxProvider
    let gate: Gate
    var name: ProviderName { base.name }
    var capabilities: ProviderCapabilities { base.capabilities }
    var amounts: AmountCodec { base.amounts }
    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        await gate.pass()
        return await base.prepare(request)
    }
    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        await gate.pass()
        return await base.authorize(request, with: tender)
    }
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        await gate.pass()
        return await base.capture(request)
    }
    func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        await gate.pass()
        return await base.void(request)
    }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        await gate.pass()
        return await base.refund(request)
    }
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        await gate.pass()
        return await base.query(request)
    }
}

/// One payment that two processes work on, in a chosen order of steps.
final class GatedWorld: Sendable {
    /// A thing that somebody does to a payment.
    enum Action: String, CaseIterable, Sendable {
        case confirm, capture, capturePart, cancel, refund, refundPart, webhook, recover
    }
    /// Where the payment stands before.
    enum Start: String, CaseIterable, Sendable { case created, held, captured }

    let executor = SimulatedExecutor()
    let clock = SimulatedClock()
    let gate = Gate()
    let storage = MemoryJournal.Storage()
    let provider: SandboxProvider
    let checkouts: [Checkout]
    let problems = Mutex<[String]>([])

    init() {
        provider = SandboxProvider(
            store: SandboxMemoryStore(), clock: clock, rules: SandboxRules(allowsOverRefund: true))
        checkouts = [provider, provider].map { [storage, clock, gate] provider in
            Checkout(
                journal: GatedJournal(base: MemoryJournal(storage: storage, clock: clock), gate: gate),
                providers: [GatedProvider(base: provider, gate: gate)], clock: clock)
        }
    }

    private func perform(_ action: Action, _ id: PaymentID, by checkout: Checkout) async {
        let part = Money(minorUnits: 60, currency: .eur)
        let payload = CardPresentPayload(
            reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil)
        switch action {
        case .confirm:
            _ = try? await checkout.confirm(id, account: .main, provider: .sandbox, tender: .cardPresent(payload))
        case .capture: _ = try? await checkout.capture(id, account: .main)
        case .capturePart: _ = try? await checkout.capture(id, account: .main, amount: part, isFinal: false)
        case .cancel: _ = try? await checkout.cancel(id, account: .main)
        case .refund: _ = try? await checkout.refund(id, account: .main)
        case .refundPart: _ = try? await checkout.refund(id, account: .main, amount: part)
        case .webhook: _ = try? await checkout.look(at: id)
        case .recover:
            clock.advance(by: .seconds(90))
            _ = try? await checkout.recover()
        }
    }

    private func run(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) { await body() }
        executor.drain()
    }

    /// Runs two actions in the order that `choices` says (0 where it says nothing).
    /// - Returns: how many could be chosen from at each step, and what is wrong in the end.
    func run(_ actions: [Action], from start: Start, choices: [Int]) -> (widths: [Int], problems: [String]) {
        let made = Mutex<PaymentID?>(nil)
        run { [self] in
            guard let order = try? Order(id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: 100, currency: .eur))
            else { return }
            let draft = checkouts[0].draft(account: .main, order: order, captureMode: start == .held ? .manual : .automatic)
            guard let id = try? await checkouts[0].create(draft).id else { return }
            made.withLock { $0 = id }
            if start != .created { await perform(.confirm, id, by: checkouts[0]) }
        }
        guard let id = made.withLock({ $0 }) else { return ([], ["no payment was made"]) }
        gate.setOpen(false)
        for (action, checkout) in zip(actions, checkouts) { run { [self] in await perform(action, id, by: checkout) } }
        var widths: [Int] = []
        while gate.waiting > 0, widths.count < 200 {
            let choice = widths.count < choices.count ? choices[widths.count] : 0
            widths.append(gate.waiting)
            gate.letThrough(choice)
            executor.drain()
        }
        gate.setOpen(true)
        run { [self] in
            for wait in [Span.minutes(2), .minutes(6), .hours(2), .days(1), .days(1)] {
                clock.advance(by: wait)
                for checkout in checkouts { _ = try? await checkout.recover() }
            }
            await judge(id)
        }
        return (widths, problems.withLock { $0 })
    }

    private func judge(_ id: PaymentID) async {
        var found: [String] = []
        let journal = MemoryJournal(storage: storage, clock: clock)
        guard let payment = try? await journal.payment(id), let charges = try? await provider.ledger.charges() else {
            return problems.withLock { $0 = ["the payment is gone"] }
        }
        let (taken, back) = (
            charges.map(\.captured).reduce(0, +), charges.map(\.refunded).reduce(0, +)
        )
        if taken > 100 { found.append("captured \(taken)") }
        if back > taken { found.append("refunded \(back) of \(taken)") }
        if charges.filter({ $0.captured > $0.refunded }).count > 1 { found.append("paid twice") }
        for charge in charges where charge.captured > charge.authorized || charge.authorized > charge.amount {
            found.append("captured more than authorized")
        }
        if payment.captured.minorUnits != taken { found.append("journal captured \(payment.captured), provider \(taken)") }
        if payment.refunded.minorUnits != back { found.append("journal refunded \(payment.refunded), provider \(back)") }
        if payment.isCanceled, charges.contains(where: { $0.state == .authorized }) { found.append("canceled and held") }
        if payment.nextDue != nil, payment.attention.isEmpty { found.append("not at rest: \(payment.status)") }
        if let report = try? journal.verify() { found += report.problems.map { "\($0)" } }
        problems.withLock { $0 = found }
    }
}
