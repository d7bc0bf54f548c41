public import TillCore

extension StripeProvider {
    /// Captures a hold. The remainder is released: Stripe captures a payment intent once.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = request.context.reference else { return .notSent(reason: "there is no payment intent") }
        guard let wire = amounts.wireAmount(ifExact: request.amount), wire > 0 else {
            return .declined(unsendableAmount)
        }
        let call = StripeRequest.post(
            StripePath.paymentIntent(reference, "capture"), [("amount_to_capture", String(wire))], key: request.key)
        switch await client.send(call, within: deadline) {
        case .answered(let json):
            guard let intent = StripePaymentIntent(json), intent.reference == reference else {
                return .unknown(reason: unreadable)
            }
            guard intent.status == "succeeded" else { return .unknown(reason: intent.status) }
            guard intent.amount.currency == request.amount.currency,
                (intent.received ?? request.amount) == request.amount
            else { return .unknown(reason: amountMismatch) }
            return .approved(Confirmation(reference: reference))
        case .failed(let error) where error.needsQuery: return await settled(error, request, reference)
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Resolves a refused capture, which may be the retry of a successful one.
    private func settled(
        _ error: StripeError, _ request: CaptureRequest, _ reference: ProviderReference
    ) async -> ProviderAnswer<Confirmation> {
        guard case .refused(var decline) = error.meaning else { return answer(to: error) }
        guard let intent = await intent(in: error, or: reference) else {
            return .unknown(reason: "the payment intent could not be read after a refusal")
        }
        switch intent.status {
        case "succeeded":
            guard let received = intent.received, received.currency == request.amount.currency else {
                return .unknown(reason: amountMismatch)
            }
            if received == request.amount { return .approved(Confirmation(reference: reference)) }
            // A payment intent is captured once, so the other capture was not this one.
            return .declined(.capturedElsewhere(received))
        case "processing": return .unknown(reason: "processing")
        case "canceled":
            decline.reason = .authorizationExpired
            return .declined(decline)
        case "requires_capture" where decline.reason == .alreadyCaptured: return .unknown(reason: notShownYet)
        default: return .declined(decline)
        }
    }

    /// Cancels the payment intent: the hold is released, and an unconfirmed intent can never be confirmed.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = request.context.reference else {
            return .unknown(reason: "there is no payment intent to cancel")
        }
        var fields: [(String, String)] = []
        if sendsDescriptions,
            ["requested_by_customer", "duplicate", "abandoned", "fraudulent"].contains(request.reason)
        {
            fields.append(("cancellation_reason", request.reason))
        }
        let call = StripeRequest.post(StripePath.paymentIntent(reference, "cancel"), fields, key: request.key)
        switch await client.send(call, within: deadline) {
        case .answered(let json):
            guard let intent = StripePaymentIntent(json), intent.reference == reference else {
                return .unknown(reason: unreadable)
            }
            guard intent.status == "canceled" else { return .unknown(reason: intent.status) }
            return .approved(Confirmation(reference: reference))
        case .failed(let error) where error.needsQuery:
            guard case .refused(let decline) = error.meaning else { return answer(to: error) }
            guard let intent = await intent(in: error, or: reference) else {
                return .unknown(reason: "the payment intent could not be read after a refusal")
            }
            // Already canceled, by us or by Stripe at the end of the hold: the desired state is reached.
            return intent.status == "canceled" ? .approved(Confirmation(reference: reference)) : .declined(decline)
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Refunds a capture. A refund accepted by Stripe but not settled is `unknown("pending")`.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = request.context.reference else { return .notSent(reason: "there is no payment intent") }
        guard let wire = amounts.wireAmount(ifExact: request.amount), wire > 0 else {
            return .declined(unsendableAmount)
        }
        var fields = [
            ("payment_intent", reference.rawValue),
            ("amount", String(wire)),
            ("metadata[till_refund]", request.refund.rawValue),
            ("metadata[till_payment]", request.context.payment.rawValue),
            ("metadata[till_account]", request.context.account.rawValue),
        ]
        if sendsDescriptions, let reason = request.reason,
            ["duplicate", "fraudulent", "requested_by_customer"].contains(reason)
        {
            fields.append(("reason", reason))
        }
        let call = StripeRequest.post(StripePath.refunds, fields, key: request.key)
        switch await client.send(call, within: deadline) {
        case .answered(let json):
            guard let refund = StripeRefund(json) else { return .unknown(reason: unreadable) }
            return answer(refund, asked: request.amount)
        case .failed(let error) where error.needsQuery: return await settled(error, request, reference)
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    private func answer(_ refund: StripeRefund, asked: Money) -> ProviderAnswer<Confirmation> {
        guard refund.amount == asked else { return .unknown(reason: amountMismatch) }
        switch refund.status {
        case .succeeded: return .approved(Confirmation(reference: refund.reference))
        case .pending: return .unknown(.pending)
        case .failed(let decline): return .declined(decline)
        }
    }

    /// Resolves a refused refund, which may be the retry of a successful one, or the money was refunded elsewhere, such
    /// as in the dashboard. Stripe's list of refunds decides.
    private func settled(
        _ error: StripeError, _ request: RefundRequest, _ reference: ProviderReference
    ) async -> ProviderAnswer<Confirmation> {
        guard case .refused(var decline) = error.meaning else { return answer(to: error) }
        guard case .success(let all) = await refunds(of: reference) else {
            return .unknown(reason: "the refunds could not be read after a refusal")
        }
        // The amount released by a partial capture is listed without a payment intent, and is no refund.
        let listed = all.filter { $0.paymentIntent == reference.rawValue }
        let mine = listed.filter { $0.refund == request.refund }
        if let done = mine.first(where: \.mayHaveMoved) ?? mine.first { return answer(done, asked: request.amount) }
        let foreign = listed.filter { $0.refund == nil && $0.mayHaveMoved }
        if decline.reason != .disputed, !foreign.isEmpty {
            decline.reason = .alreadyRefunded
            let names = foreign.prefix(3).map { "\($0.amount) as \($0.reference)" }.joined(separator: ", ")
            decline.message = "refunded elsewhere: \(names)"
        } else if decline.reason == .alreadyRefunded {
            return .unknown(reason: notShownYet)
        }
        return .declined(decline)
    }
}
