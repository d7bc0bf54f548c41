import Synchronization
package import TillCore
import TillSandbox

/// A provider that is called, or listened to, with a planted fault.
package final class PlantedProvider: PaymentServiceProvider {
    let base: any PaymentServiceProvider
    let plant: PlantedFault
    private let calls = Mutex(0)

    package init(base: any PaymentServiceProvider, plant: PlantedFault) {
        self.base = base
        self.plant = plant
    }

    package var name: ProviderName { base.name }
    package var amounts: AmountCodec { base.amounts }
    package func identity() async -> ProviderIdentity { await base.identity() }
    package var capabilities: ProviderCapabilities {
        var capabilities = base.capabilities
        if plant == .windowClaimedInfinite { capabilities.replayWindow = .days(100_000) }
        return capabilities
    }

    private func key(_ key: IdempotencyKey) -> IdempotencyKey {
        guard plant == .keyNotForwarded else { return key }
        return other(key)
    }

    private func other(_ key: IdempotencyKey) -> IdempotencyKey {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        return IdempotencyKey(rawValue: "\(key)-\(call)-\(ObjectIdentifier(self).hashValue & 0xFFFF)")
    }

    private func read<Success>(_ answer: ProviderAnswer<Success>) -> ProviderAnswer<Success> {
        guard case .unknown(let reason) = answer else { return answer }
        switch plant {
        case .unknownReadAsDeclined: return .declined(Decline(reason: .generic))
        case .unknownReadAsNotSent: return .notSent(reason: reason.sentence)
        default: return answer
        }
    }

    package func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        var request = request
        if plant == .intentForEachTry { request.earlier = nil }
        return await base.prepare(request)
    }
    package func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization>
    {
        var request = request
        request.key = key(request.key)
        let answer = await base.authorize(request, with: tender)
        if plant == .retriesUnderNewKey, case .unknown = answer {
            request.key = other(request.key)
            return await base.authorize(request, with: tender)
        }
        return read(answer)
    }
    package func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization> {
        var request = request
        request.key = key(request.key)
        return read(await base.continueAuthorization(request))
    }
    package func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization> {
        var request = request
        request.key = key(request.key)
        let answer = await base.renew(request)
        switch (plant, answer) {
        case (.renewsUnderNewKey, .unknown):
            request.key = other(request.key)
            return await base.renew(request)
        case (.unknownRenewalReadAsRefused, .unknown): return .declined(Decline(reason: .generic))
        case (.renewedNameForgotten, .approved(var renewed)):
            renewed.reference = request.context.reference ?? renewed.reference
            return .approved(renewed)
        default: return read(answer)
        }
    }
    package func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        var request = request
        request.key = key(request.key)
        if plant == .capturesMoreAfterRenewal, SandboxCharge.isRenewal(request.context.reference) {
            let more = request.amount.minorUnits + (request.amount.minorUnits + 1) / 2
            request.amount = Money(minorUnits: more, currency: request.amount.currency)
        }
        return read(await base.capture(request))
    }
    package func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        var request = request
        request.key = key(request.key)
        return read(await base.void(request))
    }
    package func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        var request = request
        request.key = key(request.key)
        let answer = await base.refund(request)
        if plant == .notSentReadAsApproved, case .notSent = answer { return .approved(Confirmation()) }
        return read(answer)
    }
    package func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        switch plant {
        case .queryAlwaysNotFound:
            return .approved(
                ProviderSnapshot(reference: nil, standing: .notFound, captured: .zero(request.amount.currency)))
        case .webhookContentTrusted:
            guard !(base is SimulatedProvider) else { return await base.query(request) }
            let reference = request.context.reference ?? ProviderReference(rawValue: "forged")
            return .approved(
                ProviderSnapshot(
                    reference: reference,
                    standing: .authorized(Authorization(reference: reference, amount: request.amount)),
                    captured: request.amount))
        default: return await base.query(request)
        }
    }
}
