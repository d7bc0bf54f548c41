import TillContactless
public import TillCore

/// A simulated payment provider without a network: the same keys, limits and failure modes as a real one.
///
/// ```swift
/// let store = SandboxFileStore(path: ".till/sandbox.sqlite")
/// let sandbox = SandboxProvider(store: store, latency: .milliseconds(200))
/// for charge in try await sandbox.ledger.charges() { print(charge) }
/// ```
public struct SandboxProvider: PaymentServiceProvider {
    /// The provider's name, as in `--provider`.
    public let name: ProviderName
    /// The provider's capabilities.
    public let capabilities: ProviderCapabilities
    /// Amounts in the minor units of ISO 4217.
    public let amounts = AmountCodec(provider: "Sandbox", exceptions: [:])
    /// The provider's ledger, for inspection and to act as the customer.
    public let ledger: SandboxLedger
    public let faults: SandboxFaults
    private let account: String
    private let clock: any TillClock
    private let latency: Span

    /// Creates a provider over a ledger that others may share.
    /// - Parameters:
    ///   - latency: the duration of each call.
    ///   - account: the provider's name of the account that owns the ledger.
    ///   - preparesFirst: `false` to create no charge before the authorization, so that only keys protect against
    ///     duplicates.
    public init(
        store: any SandboxStore, clock: any TillClock = SystemClock(), latency: Span = .milliseconds(0),
        faults: SandboxFaults = SandboxFaults(), rules: SandboxRules = SandboxRules(), preparesFirst: Bool = true,
        name: ProviderName = .sandbox, account: String = "sandbox"
    ) {
        self.name = name
        self.account = account
        self.clock = clock
        self.latency = latency
        self.faults = faults
        ledger = SandboxLedger(store: store, clock: clock, rules: rules)
        capabilities = ProviderCapabilities(
            replayWindow: rules.replayWindow, preparesFirst: preparesFirst, multipleCapture: true, takesTokens: true,
            honorPeriod: rules.honorPeriod)
    }

    /// A test identity: no real card is charged here.
    public func identity() async -> ProviderIdentity { ProviderIdentity(account: account, mode: .test) }

    /// Creates the charge of an attempt; moves nothing.
    public func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        await call(.prepare, key: request.prepareKey, amount: nil) {
            try await confirmation(
                ledger.prepare(draft(request), key: request.prepareKey.rawValue, fingerprint: "\(request.amount)"))
        }
    }

    /// Requests the authorization, or fails as configured.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard let card = card(of: tender, amount: request.amount) else {
            return .declined(
                Decline(reason: .invalidRequest, code: "tender_not_supported", message: "The sandbox takes cards."))
        }
        return await call(.authorize, key: request.key, amount: request.amount, card: card.fault) {
            let effect = try await ledger.authorize(
                draft(request), reference: request.context.reference?.rawValue, key: request.key.rawValue,
                fingerprint: "\(request.amount) \(card.brand) \(card.lastFour)", card: card)
            switch effect.outcome {
            case .approved: return .approved(authorization(effect.charge, request.amount))
            case .pending: return .unknown(.pending)
            case .requiresAction: return .requiresAction(CustomerAction(kind: "sandbox_challenge"))
            case .declined(let code, let message):
                return .declined(Decline(sandboxCode: code, message: message, card: refused(effect.charge)))
            }
        }
    }

    /// Requests the authorization after the customer's action.
    public func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization> {
        await call(.authorize, key: request.key, amount: request.amount) {
            let draft = SandboxLedger.Draft(
                key: request.key.rawValue, account: request.context.account.rawValue,
                order: request.context.order.rawValue, payment: request.context.payment.rawValue,
                attempt: request.context.attempt.rawValue, amount: request.amount.minorUnits,
                currency: request.amount.currency.code)
            guard
                let effect = try await ledger.continueAfterAction(
                    draft, reference: request.context.reference?.rawValue, key: request.key.rawValue)
            else { return .declined(Decline(sandboxCode: "resource_missing", message: "There is no such charge.")) }
            switch effect.outcome {
            case .approved: return .approved(authorization(effect.charge, request.amount))
            case .pending, .requiresAction: return .unknown(.pending)
            case .declined(let code, let message): return .declined(Decline(sandboxCode: code, message: message))
            }
        }
    }

    /// Returns the tender's card; one that a reader sealed must be sealed for this amount.
    private func card(of tender: Tender, amount: Money) -> SandboxCard? {
        guard case .cardPresent(let payload) = tender, CardEnvelope.isEnvelope(payload.sealed.reveal()) else {
            return SandboxCard(tender)
        }
        return SandboxEnvelope.card(payload.sealed, for: amount, at: clock.now())
    }

    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        await call(.capture, key: request.key, amount: request.amount) {
            try await confirmation(
                ledger.capture(
                    reference: request.context.reference?.rawValue, attempt: request.context.attempt.rawValue,
                    amount: request.amount, isFinal: request.isFinal, key: request.key.rawValue))
        }
    }

    public func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization> {
        await call(.renew, key: request.key, amount: request.amount) {
            let effect = try await ledger.renew(
                reference: request.context.reference?.rawValue, attempt: request.context.attempt.rawValue,
                amount: request.amount, key: request.key.rawValue)
            switch effect?.outcome {
            case .approved(let name):
                guard let effect else { return .unknown(reason: "no charge") }
                var renewed = authorization(effect.charge, request.amount)
                renewed.reference = ProviderReference(rawValue: name)
                return .approved(renewed)
            case .pending, .requiresAction: return .unknown(.pending)
            case .declined(let code, let message): return .declined(Decline(sandboxCode: code, message: message))
            case nil: return .declined(Decline(sandboxCode: "resource_missing", message: "There is no such charge."))
            }
        }
    }

    /// Voids a hold and releases its amount.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        // A void has no amount; the table applies to the charge's amount.
        var amount: Money?
        if let reference = request.context.reference, let charge = try? await ledger.charge(reference),
            let currency = Currency(ifValid: charge.currency)
        {
            amount = Money(minorUnits: charge.amount, currency: currency)
        }
        return await call(.void, key: request.key, amount: amount) {
            let draft = SandboxLedger.Draft(
                key: request.authorizationKey.rawValue, account: request.context.account.rawValue,
                order: request.context.order.rawValue, payment: request.context.payment.rawValue,
                attempt: request.context.attempt.rawValue, amount: 0, currency: "XXX")
            return try await confirmation(
                ledger.void(
                    reference: request.context.reference?.rawValue,
                    authorizationKey: request.authorizationKey.rawValue, draft: draft, key: request.key.rawValue))
        }
    }

    /// Refunds a capture.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        await call(.refund, key: request.key, amount: request.amount) {
            try await confirmation(
                ledger.refund(
                    reference: request.context.reference?.rawValue, attempt: request.context.attempt.rawValue,
                    name: request.refund.rawValue, amount: request.amount, reason: request.reason,
                    key: request.key.rawValue))
        }
    }

    /// Returns the state of an attempt.
    public func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        await call(.query, key: request.authorizationKey, amount: nil) {
            let charge = try await ledger.store.transaction { shelf in
                try ledger.find(
                    shelf, reference: request.context.reference?.rawValue, key: request.authorizationKey.rawValue,
                    attempt: request.context.attempt.rawValue)
            }
            guard let charge else {
                return .approved(
                    ProviderSnapshot(
                        reference: nil, standing: .notFound, captured: .zero(request.amount.currency)))
            }
            guard charge.isTombstone || charge.currency == request.amount.currency.code else {
                return .unknown(reason: "the charge is in \(charge.currency)")
            }
            return .approved(snapshot(charge, request.amount))
        }
    }

    private func draft(_ request: AuthorizationRequest) -> SandboxLedger.Draft {
        SandboxLedger.Draft(
            key: request.key.rawValue, account: request.context.account.rawValue,
            order: request.context.order.rawValue, payment: request.context.payment.rawValue,
            attempt: request.context.attempt.rawValue, amount: request.amount.minorUnits,
            currency: request.amount.currency.code, text: request.description)
    }

    private func authorization(_ charge: SandboxCharge, _ asked: Money) -> Authorization {
        Authorization(
            reference: ProviderReference(rawValue: charge.holdName),
            amount: Money(minorUnits: charge.authorized, currency: asked.currency),
            isCaptured: charge.card?.isSingleMessage == true,
            captureBefore: charge.holdEndsAt.map { Timestamp(milliseconds: $0) },
            honoredUntil: charge.honoredUntil.map { Timestamp(milliseconds: $0) },
            card: charge.card?.summary(reference: charge.reference))
    }

    /// Returns the card that the issuer declined; `nil` if the issuer was not asked.
    private func refused(_ charge: SandboxCharge) -> CardSummary? {
        guard charge.state == .declined else { return nil }
        return charge.card?.summary(reference: charge.reference, declined: charge.declineCode ?? "")
    }

    private func snapshot(_ charge: SandboxCharge, _ asked: Money) -> ProviderSnapshot {
        let standing: ProviderSnapshot.Standing =
            switch charge.state {
            case .unconfirmed: .unconfirmed
            case .requiresAction: .requiresAction(CustomerAction(kind: "sandbox_challenge"))
            case .actionDone: .continuable
            case .declined:
                .declined(
                    Decline(sandboxCode: charge.declineCode ?? "generic_decline", message: nil, card: refused(charge)))
            case .voided: .voided
            case .authorized:
                charge.isExpired(at: clock.now()) || charge.released != nil
                    ? .voided : .authorized(authorization(charge, asked))
            }
        var snapshot = ProviderSnapshot(
            reference: ProviderReference(rawValue: charge.reference), standing: standing,
            captured: Money(minorUnits: charge.captured, currency: asked.currency),
            refunds: charge.refunds.map { refund in
                let status: ProviderSnapshot.Refund.Status =
                    switch refund.status {
                    case .pending: .pending
                    case .succeeded: .succeeded
                    case .failed, .canceled: .failed(Decline(sandboxCode: "refund_failed", message: nil))
                    }
                return ProviderSnapshot.Refund(
                    reference: ProviderReference(rawValue: refund.reference),
                    refund: refund.refund.map { RefundID(rawValue: $0) },
                    amount: Money(minorUnits: refund.amount, currency: asked.currency), status: status)
            })
        snapshot.failedCaptures = charge.captures.filter { $0.hasFailed == true }.map {
            ProviderSnapshot.FailedCapture(
                reference: ProviderReference(rawValue: $0.reference),
                decline: Decline(sandboxCode: "capture_failed", message: nil))
        }
        snapshot.disputes = (charge.disputes ?? []).map { SandboxProvider.dispute($0, asked.currency) }
        return snapshot
    }

    private static func dispute(_ dispute: SandboxCharge.Dispute, _ currency: Currency) -> ProviderSnapshot.Dispute {
        let outcome: Dispute.Outcome? =
            switch dispute.status {
            case "won": .won
            case "lost": .lost
            default: nil
            }
        return ProviderSnapshot.Dispute(
            facts: Dispute.Facts(
                reference: ProviderReference(rawValue: dispute.reference), reason: dispute.reason,
                stage: dispute.status, amount: Money(minorUnits: dispute.amount, currency: currency),
                respondBy: dispute.respondBy.map { Timestamp(milliseconds: $0) }),
            withdrawn: Money(minorUnits: dispute.withdrawn, currency: currency), outcome: outcome)
    }

    private func confirmation(_ effect: SandboxLedger.Effect?) -> ProviderAnswer<Confirmation> {
        guard let effect else {
            return .declined(Decline(sandboxCode: "resource_missing", message: "There is no such charge."))
        }
        switch effect.outcome {
        case .approved(let reference):
            return .approved(Confirmation(reference: ProviderReference(rawValue: reference)))
        case .pending: return .unknown(.pending)
        case .requiresAction: return .unknown(reason: "the charge waits for the customer")
        case .declined(let code, let message): return .declined(Decline(sandboxCode: code, message: message))
        }
    }

    /// Simulates one call: the latency, the fault, and the response that reaches the caller.
    private func call<Success>(
        _ operation: SandboxOperation, key: IdempotencyKey, amount: Money?, card: SandboxFault? = nil,
        _ work: () async throws -> ProviderAnswer<Success>
    ) async -> ProviderAnswer<Success> {
        let fault = faults.next(
            operation, key: key.rawValue, amount: amount?.minorUnits, card: card, at: clock.now())
        do {
            if fault == .notSent { return .notSent(reason: "connection refused") }
            guard latency.milliseconds > 0 else { return try await deliver(fault, work) }
            // The ledger works within the latency, not on top of it, so that the call takes the configured time.
            async let pause: Void = clock.sleep(for: latency)
            let answer = try await deliver(fault, work)
            try await pause
            return answer
        } catch is CancellationError {
            return .unknown(reason: "the caller stopped waiting")
        } catch let error as SandboxUnopened {
            return .notSent(reason: "the sandbox's ledger cannot be opened: \(error.reason)")
        } catch {
            return .unknown(reason: "the sandbox's ledger could not be read or written")
        }
    }

    /// Performs the call at the provider, and returns the part of the response that reaches the caller.
    private func deliver<Success>(
        _ fault: SandboxFault?, _ work: () async throws -> ProviderAnswer<Success>
    ) async throws -> ProviderAnswer<Success> {
        switch fault {
        case .timeoutBeforeCommit: return .unknown(reason: "timed out")
        case .conflict: return .unknown(reason: "409 the key is in use")
        case .outage: return .unknown(reason: "503")
        case .stickyServerError: return .unknown(reason: "500")
        case .slow(let span): try await clock.sleep(for: span)
        case .duplicateDelivery: _ = try await work()
        case .timeoutAfterCommit, .serverErrorAfterSuccess, .notSent, nil: break
        }
        let answer = try await work()
        switch fault {
        case .timeoutAfterCommit: return .unknown(reason: "timed out")
        case .serverErrorAfterSuccess: return .unknown(reason: "500")
        case .timeoutBeforeCommit, .stickyServerError, .conflict, .outage, .slow, .duplicateDelivery, .notSent, nil:
            return answer
        }
    }
}

extension Decline {
    /// Maps a code of the sandbox, which uses Stripe's codes, to a decline.
    init(sandboxCode code: String, message: String?, card: CardSummary? = nil) {
        let reason: DeclineReason =
            switch code {
            case "lost_card", "stolen_card", "fraudulent", "pickup_card", "merchant_blacklist": .fraud
            case "invalid_cvc": .incorrectCVC
            case "invalid_number": .incorrectNumber
            case "pin_try_exceeded": .tooManyPINTries
            case "offline_pin_incorrect", "invalid_pin": .incorrectPIN
            case "currency_not_supported": .cardNotSupported
            case "amount_too_large", "amount_mismatch", "currency_mismatch": .invalidAmount
            case "idempotency_error", "resource_missing", "unexpected_state", "already_captured", "voided",
                "refund_failed", "renewal_too_early", "authorization_replaced":
                .invalidRequest
            case "processing_error", "try_again_later", "do_not_honor", "authentication_required": .generic
            default: DeclineReason(rawValue: code)
            }
        self.init(reason: reason, code: code, message: message, card: card)
    }
}
