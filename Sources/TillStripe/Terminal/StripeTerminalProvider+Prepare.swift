public import TillCore
internal import TillHardware

extension StripeTerminalProvider {
    /// Creates the order's payment intent, or finds the existing one. Moves no money.
    public func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        guard let wire = amounts.wireAmount(ifExact: request.amount), wire > 0 else {
            return .declined(online.unsendableAmount)
        }
        do throws(CardReaderFailure) { try AmountLimits.stripe.check(request.amount) } catch {
            return .declined(
                Decline(
                    reason: .invalidAmount, code: error.underlyingError.rawValue,
                    message: error.details.sentence ?? "the amount cannot be charged"))
        }
        // The key of an earlier attempt may have expired by now; its intent has not.
        if let earlier = request.earlier, let answer = await reuse(earlier, request) { return answer }
        var kept: StripeError?
        for round in 1...StripeTerminalProvider.maximumIntents {
            let call = TerminalCall.createIntent(
                draft(request, wire),
                key: IdempotencyKey(rawValue: "\(request.context.payment)-terminal-\(round)"))
            switch await online.client.send(call, within: online.deadline) {
            case .answered(let json):
                guard let intent = StripePaymentIntent(json) else { return .unknown(reason: online.unreadable) }
                guard intent.amount == request.amount else { return .unknown(reason: online.amountMismatch) }
                if request.context.isFirst { return .approved(Confirmation(reference: intent.reference)) }
                // The response may be a replay: only the intent's current state counts.
                if let answer = await reuse(intent.reference, request) { return answer }
            case .failed(let error):
                // The stored failure of an earlier attempt: this key has no other response for a day. An intent that
                // was created nevertheless is never confirmed.
                guard case .kept = error.meaning, error.isReplay else { return online.answer(to: error) }
                kept = error
            case .notSent(let reason): return .notSent(reason: reason)
            case .unknown(let reason): return .unknown(reason: reason)
            }
        }
        if let kept { return online.answer(to: kept) }
        return .declined(Decline(reason: .invalidRequest, message: "too many payment intents for one order"))
    }

    /// Reuses an existing intent; returns `nil` if it can no longer be paid.
    private func reuse(
        _ reference: ProviderReference, _ request: AuthorizationRequest
    ) async -> ProviderAnswer<Confirmation>? {
        switch await terminal.intent(reference) {
        case .success(let now) where now.intent.status == "canceled": return nil
        case .success(let now) where now.intent.amount != request.amount:
            // An earlier attempt added its tip to the intent; this one prompts for a tip itself.
            let gone = await online.void(
                VoidRequest(
                    context: request.context.with(reference), authorizationKey: request.key, reason: "abandoned",
                    key: IdempotencyKey(rawValue: "\(request.prepareKey)-\(reference)")))
            guard case .approved = gone else { return .notSent(reason: "an earlier tip could not be taken off") }
            return nil
        case .success: return .approved(Confirmation(reference: reference))
        case .failure(let failure):
            if case .failed(let error) = failure.outcome, error.status == 404 { return nil }
            return failure.answer(online)
        }
    }

    private func draft(_ request: AuthorizationRequest, _ wire: Int64) -> TerminalIntentDraft {
        let currency = request.amount.currency
        var draft = TerminalIntentDraft(amount: wire, currency: currency.code.lowercased())
        // Interac cards pay in Canadian dollars only, and there a co-branded card must use Interac.
        if currency == .cad { draft.paymentMethodTypes.append("interac_present") }
        draft.requestsExtendedAuthorization = options.requestsExtendedAuthorization
        draft.requestsIncrementalAuthorization = options.requestsIncrementalAuthorization
        draft.requestedPriority = options.requestedPriority
        draft.description = request.description
        // Without the attempt: the intent belongs to the order, and later attempts use it too.
        draft.metadata = [
            "till_account": request.context.account.rawValue, "till_order": request.context.order.rawValue,
            "till_payment": request.context.payment.rawValue,
        ]
        return draft
    }

    /// Returns the client secret with which Stripe's SDK on a device collects for a payment intent. For that device
    /// only.
    public func clientSecret(of reference: ProviderReference) async throws(StripeTerminalError) -> Secret<String> {
        try await terminal.read(
            .get(StripePath.paymentIntent(reference)), { $0["client_secret"]?.stringValue.map { Secret($0) } })
    }
}

extension AttemptContext {
    fileprivate func with(_ reference: ProviderReference) -> AttemptContext {
        var context = self
        context.reference = reference
        return context
    }

    /// `true` for the payment's first attempt.
    var isFirst: Bool { attempt.rawValue == "\(payment)-a1" }
}
