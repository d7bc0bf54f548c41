import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillSimulation
import TillTestSupport

/// One payment that two processes work on, in a chosen order of steps. A step is a call to the journal or to the
/// provider, or a move of the clock.
final class GatedWorld: Sendable {
    /// A thing that somebody does to a payment.
    enum Action: String, CaseIterable, Sendable {
        case confirm, capture, capturePart, void, refund, refundPart, webhook, expiry, recover, renew
        /// What happens at the provider and is reported by a webhook.
        case lateRefundFailure, dashboardRefund, dashboardCapture, dispute

        /// What happens at the provider, and without Till having asked for it.
        fileprivate var afterSale: SandboxAfterSale? {
            switch self {
            case .lateRefundFailure: .failRefund(nil, isCanceled: false)
            case .dashboardRefund: .refund(nil)
            case .dashboardCapture: .capture(nil)
            case .dispute: .dispute(nil, reason: "fraudulent", isInquiry: false, respondBy: nil)
            case .confirm, .capture, .capturePart, .void, .refund, .refundPart, .webhook, .expiry, .recover, .renew: nil
            }
        }
        var isAfterSale: Bool { afterSale != nil }
    }
    /// Where the payment stands before.
    enum Start: String, CaseIterable, Sendable {
        case created, challenged, held, partlyCaptured, captured, partlyRefunded
        /// Held for longer than the bank answers for it: nothing captured, a part captured, renewed already.
        case overdue, overduePart, renewed

        /// Whether a hold is there that a renewal can mean something for.
        var isRenewable: Bool { self == .overdue || self == .overduePart || self == .renewed }
    }
    /// What is left in the end.
    struct End: Sendable {
        var payment: Payment
        var charges: [SandboxCharge]
        var events: [StoredEvent]
    }

    /// The most steps whose order is chosen.
    static let maximumSteps = 200
    static let total: Int64 = 100
    static let part = Money(minorUnits: 60, currency: .eur)
    static let honorPeriod: Span = .days(3)

    let executor = SimulatedExecutor()
    let clock = SimulatedClock()
    let gate = Gate()
    let storage = MemoryJournal.Storage()
    let provider: SandboxProvider
    let checkouts: [Checkout]

    /// Makes one. The provider gives back more than it took when asked to, so that the engine is the only guard.
    /// - Parameters:
    ///   - renewsHolds: the provider can renew a hold.
    ///   - plant: a safeguard to be switched off.
    ///   - isStrict: the provider keeps to its limits, since others ask it, too.
    init(
        preparesFirst: Bool = true, renewsHolds: Bool = false, plant: PlantedFault? = nil, isStrict: Bool = false
    ) {
        provider = SandboxProvider(
            store: SandboxMemoryStore(), clock: clock,
            rules: SandboxRules(
                allowsOverRefund: !isStrict, waitsAfterAction: true,
                honorPeriod: renewsHolds ? GatedWorld.honorPeriod : nil, allowsOverCapture: !isStrict),
            preparesFirst: preparesFirst)
        checkouts = [provider, provider].map { [storage, clock, gate, executor] provider in
            var journal: any Journal = GatedJournal(base: MemoryJournal(storage: storage, clock: clock), gate: gate)
            var caller: any PaymentServiceProvider = GatedProvider(base: provider, gate: gate)
            if let plant {
                journal = PlantedJournal(base: journal, plant: plant, shadow: MemoryJournal())
                caller = PlantedProvider(base: caller, plant: plant)
            }
            return Checkout(journal: journal, providers: [caller], clock: clock, executor: executor)
        }
    }

    private func perform(_ action: Action, _ id: PaymentID, by checkout: Checkout) async {
        switch action {
        case .confirm:
            await confirm(id, card: "4242424242424242", by: checkout)
        case .capture: _ = try? await checkout.capture(id, account: .main)
        case .capturePart:
            _ = try? await checkout.capture(id, account: .main, amount: GatedWorld.part, isFinal: false)
        case .void: _ = try? await checkout.cancel(id, account: .main)
        case .refund: _ = try? await checkout.refund(id, account: .main)
        case .refundPart: _ = try? await checkout.refund(id, account: .main, amount: GatedWorld.part)
        case .webhook: _ = try? await checkout.query(id)
        case .expiry: await pass(.days(7), checkout)
        case .recover: await pass(.seconds(90), checkout)
        case .renew: _ = try? await checkout.renew(id, account: .main)
        case .lateRefundFailure, .dashboardRefund, .dashboardCapture, .dispute: await play(action, id, by: checkout)
        }
    }

    /// It happens, and its webhook comes.
    private func play(_ action: Action, _ id: PaymentID, by checkout: Checkout) async {
        await gate.pass()
        guard let event = action.afterSale, let charge = try? await provider.ledger.charges().first,
            (try? await provider.ledger.play(event, on: ProviderReference(rawValue: charge.reference))) != nil
        else { return }
        let webhook = WebhookReceipt(provider: .sandbox, id: action.rawValue, at: clock.now())
        guard (try? await checkout.receiveWebhook(about: id, in: webhook)) == true else { return }
        _ = try? await checkout.query(id)
    }

    private func confirm(_ id: PaymentID, card: String, by checkout: Checkout) async {
        let payload = CardPresentPayload(reader: "r", sealed: Secret("sim:\(card):visa:contact_emv"), card: nil)
        _ = try? await checkout.confirm(id, account: .main, provider: .sandbox, tender: .cardPresent(payload))
    }

    /// Time passes, and a process looks for what is due.
    private func pass(_ span: Span, _ checkout: Checkout) async {
        await gate.pass()
        clock.advance(by: span)
        _ = try? await checkout.recover()
    }

    private func run(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) { await body() }
        executor.drain()
    }

    private func begin(_ start: Start) async -> PaymentID? {
        let checkout = checkouts[0]
        let isManual = start == .held || start == .partlyCaptured || start.isRenewable
        guard
            let order = try? Order(
                id: OrderID(rawValue: "o-1"), amount: Money(minorUnits: GatedWorld.total, currency: .eur)),
            let id = try? await checkout.create(
                checkout.draft(account: .main, order: order, captureMode: isManual ? .manual : .automatic)
            ).id
        else { return nil }
        if start == .challenged {
            await confirm(id, card: "4000002760003184", by: checkout)
            guard let charge = try? await provider.ledger.charges().first else { return nil }
            _ = try? await provider.ledger.completeAction(
                ProviderReference(rawValue: charge.reference), succeeds: true)
            return id
        }
        if start != .created { await perform(.confirm, id, by: checkout) }
        if start == .partlyCaptured || start == .overduePart {
            _ = try? await checkout.capture(
                id, account: .main, amount: Money(minorUnits: 40, currency: .eur), isFinal: false)
        }
        if start.isRenewable { clock.advance(by: GatedWorld.honorPeriod) }
        if start == .renewed { _ = try? await checkout.renew(id, account: .main) }
        if start == .partlyRefunded {
            _ = try? await checkout.refund(id, account: .main, amount: Money(minorUnits: 40, currency: .eur))
        }
        return id
    }

    /// Runs actions, one a process, in the order that `choices` says. Where it says nothing, or 0, whoever made the
    /// last step makes the next one, too.
    /// - Parameter switches: how often somebody may be interrupted by another who has a step to make.
    /// - Returns: how many could be chosen from at each step, and what is left; `nil` if the payment is gone.
    func run(
        _ actions: [Action], from start: Start, choices: [Int], switches: Int = .max
    ) -> (widths: [Int], end: End?) {
        let made = Mutex<PaymentID?>(nil)
        run { [self] in
            let id = await begin(start)
            made.withLock { $0 = id }
        }
        guard let id = made.withLock({ $0 }) else { return ([], nil) }
        gate.setOpen(false)
        for (index, action) in actions.enumerated() {
            run { [self] in
                await Gate.$actor.withValue(index) { await perform(action, id, by: checkouts[index % checkouts.count]) }
            }
        }
        var (widths, actor, budget): ([Int], Int, Int) = ([], 0, switches)
        while widths.count < GatedWorld.maximumSteps {
            let waiting = gate.waiting
            guard !waiting.isEmpty else { break }
            let own = waiting.indices.filter { waiting[$0] == actor }
            let others = own.isEmpty || budget > 0 ? waiting.indices.filter { waiting[$0] != actor } : []
            let choice = (widths.count < choices.count ? choices[widths.count] : 0) % (own.count + others.count)
            widths.append(own.count + others.count)
            let step = (own + others)[choice]
            if !own.isEmpty, waiting[step] != actor { budget -= 1 }
            actor = waiting[step]
            gate.letThrough(step)
            executor.drain()
        }
        gate.setOpen(true)
        let end = Mutex<End?>(nil)
        run { [self] in
            for wait in [Span.minutes(2), .minutes(6), .hours(2), .days(1), .days(1), .days(7), .days(1)] {
                clock.advance(by: wait)
                for checkout in checkouts { _ = try? await checkout.recover() }
            }
            let found = await left(of: id)
            end.withLock { $0 = found }
        }
        return (widths, end.withLock { $0 })
    }

    private func left(of id: PaymentID) async -> End? {
        let journal = MemoryJournal(storage: storage, clock: clock)
        guard let payment = try? await journal.payment(id), let charges = try? await provider.ledger.charges(),
            let events = try? await journal.events(of: id)
        else { return nil }
        return End(payment: payment, charges: charges, events: events)
    }

    /// What is wrong in the end; empty when all is right.
    func problems(in end: End?) -> [String] {
        guard let end else { return ["the payment is gone"] }
        let (payment, charges) = (end.payment, end.charges)
        var found: [String] = []
        let (taken, back) = (charges.map(\.captured).reduce(0, +), charges.map(\.refunded).reduce(0, +))
        if taken > GatedWorld.total { found.append("captured \(taken)") }
        if back > taken { found.append("refunded \(back) of \(taken)") }
        if charges.filter({ $0.captured > $0.refunded }).count > 1 { found.append("paid twice") }
        for charge in charges {
            if charge.captured > charge.authorized || charge.authorized > charge.amount {
                found.append("captured more than authorized")
            }
            found += RenewalRules.problems(charge, payment, at: clock.now())
        }
        if payment.captured.minorUnits != taken { found.append("journal: \(payment.captured), provider: \(taken)") }
        let letGo = charges.compactMap(\.released).reduce(0, +)
        if payment.released.minorUnits != letGo {
            found.append("journal let go \(payment.released), provider \(letGo)")
        }
        if letGo > 0, taken + letGo != GatedWorld.total { found.append("took \(taken) and let go \(letGo)") }
        if payment.refunded.minorUnits != back { found.append("journal: \(payment.refunded), provider: \(back)") }
        let now = clock.now().milliseconds
        let isHeld = charges.contains {
            $0.state == .authorized && $0.captures.isEmpty && ($0.holdEndsAt ?? .max) > now
        }
        if isHeld { found.append("\(payment.status), and the provider still holds the money") }
        if payment.nextDue != nil, !payment.isLeftToPeople { found.append("not at rest: \(payment.status)") }
        let journal = MemoryJournal(storage: storage, clock: clock)
        if let report = try? journal.verify() { found += report.problems.map { "\($0)" } }
        return found
    }
}
