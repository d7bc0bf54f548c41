import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// The provider behind a network that loses, delays and repeats, called by a process that may die.
struct SimulatedProvider: PaymentServiceProvider {
    let incarnation: SimulatedWorld.Incarnation
    let world: SimulatedWorld

    var name: ProviderName { world.inner.name }
    var capabilities: ProviderCapabilities { world.inner.capabilities }
    var amounts: AmountCodec { world.inner.amounts }
    func identity() async -> ProviderIdentity { await world.inner.identity() }

    /// A provider that finds charges by reference only has nothing to look for without one, so nothing is sent.
    private func isNameless(_ context: AttemptContext) -> Bool {
        world.findsByReferenceOnly && context.reference == nil
    }

    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        await call("prepare", request.context) { await $0.prepare(request) }
    }
    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        if isNameless(request.context) { return .notSent(reason: "no reference") }
        return await call("authorize", request.context) { await $0.authorize(request, with: tender) }
    }
    func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization> {
        await call("continue", request.context) { await $0.continueAuthorization(request) }
    }
    func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization> {
        await expectWritten(request)
        return await call("renew", request.context) { await $0.renew(request) }
    }
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        if isNameless(request.context) { return .notSent(reason: "no reference") }
        return await call("capture", request.context) { await $0.capture(request) }
    }
    func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        if isNameless(request.context) { return .unknown(reason: "no reference") }
        return await call("void", request.context) { await $0.void(request) }
    }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        if isNameless(request.context) { return .notSent(reason: "no reference") }
        return await call("refund", request.context) { await $0.refund(request) }
    }
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        if isNameless(request.context) {
            return .approved(
                ProviderSnapshot(reference: nil, standing: .notFound, captured: .zero(request.amount.currency)))
        }
        return await call("query", request.context) { await $0.query(request) }
    }

    /// What is asked of a provider is durable before it is asked.
    private func expectWritten(_ request: RenewalRequest) async {
        guard !incarnation.isDead else { return }
        let written = (try? await incarnation.journal.payment(request.context.payment))?.renewals ?? []
        guard !written.contains(where: { $0.key == request.key }) else { return }
        world.state.withLock { $0.report.violations.append("\(request.renewal): asked for before it was written") }
    }

    private func call<Success>(
        _ operation: String, _ context: AttemptContext,
        _ work: @escaping @Sendable (SandboxProvider) async -> ProviderAnswer<Success>
    ) async -> ProviderAnswer<Success> {
        let lost = ProviderAnswer<Success>.unknown(reason: "no answer")
        if world.mayCrash(incarnation, at: "before a call") { return lost }
        do { try await world.clock.sleep(for: .milliseconds(world.number(5...400))) } catch { return lost }
        @Sendable func arrive() async -> ProviderAnswer<Success> {
            let answer = await work(world.inner)
            world.note("\(context.attempt) \(operation) \(answer)")
            if operation != "query" { world.sendWebhook(about: context) }
            return answer
        }
        @Sendable func silence() async -> ProviderAnswer<Success> {
            if world.chance(500) { try? await world.clock.sleep(for: .hours(1)) }
            return lost
        }
        if world.clock.now() < world.state.withLock({ $0.outageUntil }) {
            world.count("outage")
            return world.chance(300) ? .notSent(reason: "connection refused") : .unknown(reason: "503")
        }
        let dice = world.isCalm ? 1000 : world.number(0...999)
        switch dice {
        case 0..<20:
            world.count("request lost")
            return await silence()
        case 20..<50:
            world.count("response lost after commit")
            _ = await arrive()
            return await silence()
        case 50..<70:
            world.count("5xx after success")
            _ = await arrive()
            return .unknown(reason: "500")
        case 70..<80:
            world.count("409")
            return .unknown(reason: "409")
        case 80..<95:
            world.count("slow beyond the deadline")
            world.spawn { [world] in
                await world.pause(25_000...120_000)
                _ = await arrive()
            }
            try? await world.clock.sleep(for: .hours(1))
            return lost
        case 95..<100:
            world.count("outage begins")
            let isLong = world.chance(20)
            if isLong { world.count("outage of days") }
            let length = isLong ? world.number(86_400_000...200_000_000) : world.number(5_000...600_000)
            let end = world.clock.now().adding(.milliseconds(length))
            world.state.withLock { $0.outageUntil = end }
            return .unknown(reason: "503")
        case 100..<110:
            world.count("delivered twice")
            _ = await arrive()
        default: break
        }
        let answer = await arrive()
        if world.mayCrash(incarnation, at: "after a call") { return lost }
        return answer
    }
}

extension SimulatedWorld {
    /// The provider tells us, once or several times, later, out of order, and again until somebody is there to hear
    /// it; sometimes somebody lies.
    func sendWebhook(about context: AttemptContext) {
        guard !isOver else { return }
        let number = state.withLock { state in
            state.webhooks += 1
            return state.webhooks
        }
        var copies: Int64 = 1
        if chance(150) {
            copies = chance(100) ? self.number(3...10) : 2
            count("duplicate webhook")
        }
        let isForged = chance(150)
        if isForged { count("forged webhook") }
        let isLate = chance(30)
        if isLate { count("webhook days late") }
        for _ in 0..<copies {
            spawn { [self] in
                await pause(isLate ? 3_600_000...259_200_000 : 0...5000)
                for _ in 0..<8 {
                    if await hear(number, context, isForged: isForged) { return }
                    count("webhook not taken")
                    await pause(5_000...7_200_000)
                }
            }
        }
    }

    /// As the counter does: receipt and wake in one write, and then a query. `false`: the provider will try again.
    private func hear(_ number: Int, _ context: AttemptContext, isForged: Bool) async -> Bool {
        guard let (engine, incarnation) = process().map({ ($0.engine, $0.incarnation) }) else { return false }
        if plant == .webhookContentTrusted, isForged {
            let believing = Checkout(
                journal: incarnation.journal, providers: [PlantedProvider(base: inner, plant: .webhookContentTrusted)],
                clock: shopClock, executor: executor)
            try? await believing.query(context.payment)
            return true
        }
        let now = shopClock.now()
        let receipt = WebhookReceipt(provider: inner.name, id: "evt_\(number)", at: now)
        let journal = SimulatedJournal(base: incarnation.journal, incarnation: incarnation, world: self)
        do throws(JournalError) {
            try await journal.write(JournalWrite(webhook: receipt, wake: (context.payment, now)))
        } catch {
            if case .webhookSeen = error { return true }
            return false
        }
        try? await engine.query(context.payment)
        return true
    }
}
