import Synchronization
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillTestSupport

/// The provider behind a network that loses, delays and repeats messages, called by a process that may die.
struct SimulatedProvider: PaymentServiceProvider {
    let incarnation: SimulatedWorld.Incarnation
    let world: SimulatedWorld
    /// The index of the provider account for which the process has credentials.
    var account = 0

    private var inner: SandboxProvider { world.accounts[account] }
    var name: ProviderName { inner.name }
    var capabilities: ProviderCapabilities { inner.capabilities }
    var amounts: AmountCodec { inner.amounts }
    func identity() async -> ProviderIdentity { await inner.identity() }

    /// `true` for a provider that finds charges by reference only, if there is no reference; nothing is sent then.
    private func isNameless(_ context: AttemptContext) -> Bool {
        world.findsByReferenceOnly && context.reference == nil
    }

    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        await call("prepare", request.context) { await $0.prepare(request) }
    }
    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        if isNameless(request.context) { return .notSent(reason: "no reference") }
        var request = request
        request.amount = world.charged(request.amount, under: request.key)
        return await call("authorize", request.context, request.key) { [request] in
            await $0.authorize(request, with: tender)
        }
    }
    func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization> {
        await call("continue", request.context, request.key) { await $0.continueAuthorization(request) }
    }
    func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization> {
        await expectWritten(request)
        return await call("renew", request.context, request.key) { await $0.renew(request) }
    }
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        if isNameless(request.context) { return .notSent(reason: "no reference") }
        return await call("capture", request.context, request.key) { await $0.capture(request) }
    }
    func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        if isNameless(request.context) { return .unknown(reason: "no reference") }
        return await call("void", request.context, request.key) { await $0.void(request) }
    }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        if isNameless(request.context) { return .notSent(reason: "no reference") }
        return await call("refund", request.context, request.key) { await $0.refund(request) }
    }
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        if isNameless(request.context) {
            return .approved(
                ProviderSnapshot(reference: nil, standing: .notFound, captured: .zero(request.amount.currency)))
        }
        var request = request
        request.amount = world.charged(request.amount, under: request.authorizationKey)
        return await call("query", request.context) { [request, world] provider in
            if await world.isNotFoundYet(request, at: provider) {
                let captured = Money.zero(request.amount.currency)
                return .approved(ProviderSnapshot(reference: nil, standing: .notFound, captured: captured))
            }
            return await provider.query(request)
        }
    }

    /// Checks that a request is durable before it is sent.
    private func expectWritten(_ request: RenewalRequest) async {
        guard !incarnation.isDead else { return }
        let written = (try? await incarnation.journal.payment(request.context.payment))?.renewals ?? []
        guard !written.contains(where: { $0.key == request.key }) else { return }
        world.state.withLock { $0.report.violations.append("\(request.renewal): asked for before it was written") }
    }

    private func call<Success>(
        _ operation: String, _ context: AttemptContext, _ key: IdempotencyKey? = nil,
        _ work: @escaping @Sendable (SandboxProvider) async -> ProviderAnswer<Success>
    ) async -> ProviderAnswer<Success> {
        let lost = ProviderAnswer<Success>.unknown(reason: "no answer")
        if world.mayCrash(incarnation, at: "before a call") { return lost }
        do { try await world.clock.sleep(for: .milliseconds(world.number(5...400))) } catch { return lost }
        let inner = inner
        @Sendable func arrive() async -> ProviderAnswer<Success> {
            if let key, world.isSpent(key) { return .unknown(.keySpent("500")) }
            guard world.arrives(from: incarnation) else { return lost }
            let answer = await work(inner)
            incarnation.hears(world.clock.now())
            world.note("\(context.attempt) \(operation) \(answer.kind)", "\(answer)")
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
        if let rejection = world.rejection(of: key) { return .keyRejected(reason: rejection) }
        if let key, await world.spends(key, at: inner) { return .unknown(.keySpent("500")) }
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
            let isLate = world.hostileChance(300)
            if isLate { world.count("commits hours late") }
            world.spawn { [world] in
                await world.pause(isLate ? 600_000...7_200_000 : 25_000...120_000)
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

extension ProviderAnswer {
    /// The name of its case, for the trace.
    fileprivate var kind: String {
        switch self {
        case .approved: "approved"
        case .declined: "declined"
        case .requiresAction: "requires action"
        case .stored: "stored"
        case .unknown: "unknown"
        case .notSent: "not sent"
        case .keyRejected: "key rejected"
        }
    }
}
