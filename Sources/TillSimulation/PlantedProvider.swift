import Synchronization
package import TillCore
import TillSandbox

/// A provider with a planted fault in its requests or its responses.
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
    package func identity() async -> ProviderIdentity {
        var identity = await base.identity()
        if plant == .otherAccountAsked { identity.account = "one" }
        return identity
    }
    package var capabilities: ProviderCapabilities {
        var capabilities = base.capabilities
        if plant == .windowClaimedInfinite { capabilities.replayWindow = .days(100_000) }
        return capabilities
    }

    private func key(_ key: IdempotencyKey) -> IdempotencyKey {
        switch plant {
        case .keyNotForwarded: return other(key)
        case .spentKeySentAgain:
            // The name of a later key ends with its number.
            guard let dash = key.rawValue.lastIndex(of: "-"), key.rawValue[dash...].hasPrefix("-k") else { return key }
            return IdempotencyKey(rawValue: String(key.rawValue[..<dash]))
        default: return key
        }
    }

    private func other(_ key: IdempotencyKey) -> IdempotencyKey {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        return IdempotencyKey(rawValue: "\(key)-\(call)-\(ObjectIdentifier(self).hashValue & 0xFFFF)")
    }

    private func read<Success>(_ answer: ProviderAnswer<Success>) -> ProviderAnswer<Success> {
        if case .keyRejected = answer, plant == .keyRejectedReadAsDeclined {
            return .declined(Decline(reason: .generic))
        }
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
        if case .approved(let authorization) = answer { return .approved(changed(authorization, request.amount)) }
        return read(answer)
    }

    /// Returns an authorization as read with the fault.
    private func changed(_ authorization: Authorization, _ asked: Money) -> Authorization {
        var changed = authorization
        switch plant {
        case .otherCurrencyBelieved:
            changed.amount = Money(minorUnits: authorization.amount.minorUnits, currency: asked.currency)
        case .holdEndForgotten: changed.captureBefore = nil
        default: break
        }
        return changed
    }

    /// Returns the response to an operation without a result of its own, as read with the fault.
    private func done(
        _ answer: ProviderAnswer<Confirmation>, ifUnknown fault: PlantedFault
    ) -> ProviderAnswer<Confirmation> {
        switch answer {
        case .unknown where plant == fault: .approved(Confirmation())
        case .keyRejected where plant == .keyRejectedReadAsDone: .approved(Confirmation())
        default: read(answer)
        }
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
        if plant == .capturesOneMore {
            request.amount = Money(minorUnits: request.amount.minorUnits + 1, currency: request.amount.currency)
        }
        if plant == .capturesNotSent { return .approved(Confirmation()) }
        var answer = await base.capture(request)
        if plant == .capturesUnderNewKey, case .unknown = answer {
            request.key = other(request.key)
            answer = await base.capture(request)
        }
        return done(answer, ifUnknown: .unknownCaptureReadAsDone)
    }
    package func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        var request = request
        request.key = key(request.key)
        if plant == .voidsNotSent { return .approved(Confirmation()) }
        return done(await base.void(request), ifUnknown: .unknownVoidReadAsDone)
    }
    package func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        var request = request
        request.key = key(request.key)
        if plant == .refundsNotSent { return .approved(Confirmation()) }
        if plant == .refundsOneLess, request.amount.minorUnits > 1 {
            request.amount = Money(minorUnits: request.amount.minorUnits - 1, currency: request.amount.currency)
        }
        var answer = await base.refund(request)
        if plant == .refundsUnderNewKey, case .unknown = answer {
            request.key = other(request.key)
            answer = await base.refund(request)
        }
        if plant == .notSentReadAsApproved, case .notSent = answer { return .approved(Confirmation()) }
        return done(answer, ifUnknown: .unknownRefundReadAsDone)
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
        default: return changed(await base.query(request), request)
        }
    }

    /// Returns the response to a query, as read with the fault.
    private func changed(
        _ answer: ProviderAnswer<ProviderSnapshot>, _ request: QueryRequest
    ) -> ProviderAnswer<ProviderSnapshot> {
        let nothing = Money.zero(request.amount.currency)
        if plant == .unknownQueryReadAsNotFound, case .unknown = answer {
            return .approved(ProviderSnapshot(reference: nil, standing: .notFound, captured: nothing))
        }
        guard case .approved(var snapshot) = answer else { return answer }
        if case .authorized(let authorization) = snapshot.standing {
            snapshot.standing = .authorized(changed(authorization, request.amount))
        }
        switch plant {
        case .partReadAsWhole:
            if snapshot.captured.isPositive { snapshot.captured = request.amount }
        case .lateRefundFailureNotRead:
            for index in snapshot.refunds.indices {
                if case .failed = snapshot.refunds[index].status { snapshot.refunds[index].status = .succeeded }
            }
        case .refundOfOthersNotRead: snapshot.refunds.removeAll { $0.refund == nil }
        case .captureFailureNotRead: snapshot.failedCaptures = []
        case .disputesNotRead: snapshot.disputes = []
        case .disputeEndNotRead:
            for index in snapshot.disputes.indices { snapshot.disputes[index].outcome = nil }
        default: break
        }
        return .approved(snapshot)
    }
}
