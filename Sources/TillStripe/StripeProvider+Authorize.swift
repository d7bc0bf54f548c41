public import TillCore

extension StripeProvider {
    /// Creates the payment intent. Moves no money.
    public func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        guard let wire = amounts.wireAmount(ifExact: request.amount), wire > 0 else {
            return .declined(unsendableAmount)
        }
        var fields = [
            ("amount", String(wire)),
            ("currency", request.amount.currency.code.lowercased()),
            ("capture_method", "manual"),
            ("payment_method_types[0]", "card"),
        ]
        if sendsDescriptions, let text = request.description { fields.append(("description", text)) }
        fields += [
            ("metadata[till_account]", request.context.account.rawValue),
            ("metadata[till_order]", request.context.order.rawValue),
            ("metadata[till_payment]", request.context.payment.rawValue),
            ("metadata[till_attempt]", request.context.attempt.rawValue),
        ]
        let call = StripeRequest.post(StripePath.paymentIntents, fields, key: request.prepareKey)
        switch await client.send(call, within: deadline) {
        case .answered(let json):
            guard let intent = StripePaymentIntent(json) else { return .unknown(reason: unreadable) }
            guard intent.amount == request.amount else { return .unknown(reason: amountMismatch) }
            return .approved(Confirmation(reference: intent.reference))
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Creates a payment method from the tender, attaches it to the prepared payment intent and confirms that.
    ///
    /// Only the confirmation requests money. Anything that ends the call before the confirmation is sent, including a
    /// timeout of the first two steps, returns `declined` or `notSent`: this call has charged nothing.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard let reference = request.context.reference else {
            return .notSent(reason: "no payment intent was prepared")
        }
        let credential: StripeCredential
        switch StripeCredential.of(tender, simulated: takesSimulatedCards) {
        case .success(let usable): credential = usable
        case .failure(let refusal): return .declined(refusal.decline)
        }
        let end = clock.now().adding(deadline)
        var card = tender.summary.card
        let method: String
        switch await paymentMethod(of: credential, request, until: end) {
        case .success(let made):
            method = made.id
            card = merged(card, made.card)
        case .failure(let refusal): return refusal.answer
        }
        let attach = StripeRequest.post(
            StripePath.paymentIntent(reference), [("payment_method", method)],
            key: IdempotencyKey(rawValue: request.key.rawValue + "-attach"))
        switch await client.send(attach, within: end.since(clock.now())) {
        case .answered: break
        case .failed(let error) where error.needsQuery:
            return await settled(error, request, reference, card)
        case .failed(let error): return beforeConfirmation(error)
        case .notSent(let reason), .unknown(let reason): return .notSent(reason: reason)
        }
        return await confirm(request, reference, card, within: end.since(clock.now()))
    }

    /// The failure to obtain a payment method. Nothing was charged.
    private struct Refused: Error {
        let answer: ProviderAnswer<Authorization>
    }

    /// Returns the payment method of a credential: an existing one, or one created from a card or from a new token.
    private func paymentMethod(
        of credential: StripeCredential, _ request: AuthorizationRequest, until end: Timestamp
    ) async -> Result<(id: String, card: CardSummary?), Refused> {
        switch credential {
        case .handle(let id): return .success((id, nil))
        case .card(let fields, let secrets):
            return await made(StripePath.paymentMethods, fields, "-method", request, secrets, until: end)
        case .token(let fields, let secrets):
            switch await made(StripePath.tokens, fields, "-token", request, secrets, until: end) {
            case .success(let token):
                let fields = [("type", "card"), ("card[token]", token.id)]
                return await made(StripePath.paymentMethods, fields, "-method", request, secrets, until: end)
            case .failure(let refused): return .failure(refused)
            }
        }
    }

    /// Creates an object that holds a card; after a timeout, nothing exists that could be charged.
    private func made(
        _ path: String, _ fields: [(String, String)], _ suffix: String, _ request: AuthorizationRequest,
        _ secrets: [Secret<String>], until end: Timestamp
    ) async -> Result<(id: String, card: CardSummary?), Refused> {
        let call = StripeRequest.post(path, fields, key: IdempotencyKey(rawValue: request.key.rawValue + suffix))
        switch await client.send(call, within: end.since(clock.now()), secrets: secrets) {
        case .answered(let json):
            guard let id = json["id"]?.stringValue, let valid = ProviderReference(ifValid: id) else {
                return .failure(Refused(answer: .notSent(reason: unreadable)))
            }
            return .success((valid.rawValue, json["card"].flatMap(StripePaymentIntent.summary)))
        case .failed(let error):
            if path == StripePath.tokens, let decline = error.refusedHandover {
                return .failure(Refused(answer: .declined(decline)))
            }
            return .failure(Refused(answer: beforeConfirmation(error)))
        case .notSent(let reason), .unknown(let reason):
            return .failure(Refused(answer: .notSent(reason: reason)))
        }
    }

    private func confirm(
        _ request: AuthorizationRequest, _ reference: ProviderReference, _ card: CardSummary?, within span: Span
    ) async -> ProviderAnswer<Authorization> {
        // Only the charge reports the end of the hold.
        var fields = [("expand[0]", "latest_charge")]
        if let back = returnURL?(request.context.attempt) { fields.append(("return_url", back)) }
        let call = StripeRequest.post(StripePath.paymentIntent(reference, "confirm"), fields, key: request.key)
        switch await client.send(call, within: span) {
        case .answered(let json):
            guard let intent = StripePaymentIntent(json), intent.reference == reference else {
                return .unknown(reason: unreadable)
            }
            return outcome(of: intent, asked: request.amount, card)
        case .failed(let error) where error.needsQuery:
            return await settled(error, request, reference, card)
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Resolves a 400 to the second or third step, which may mean that an earlier, identical call was already
    /// confirmed. The payment intent decides: the refusal stands only if the intent was not confirmed.
    private func settled(
        _ error: StripeError, _ request: AuthorizationRequest, _ reference: ProviderReference, _ card: CardSummary?
    ) async -> ProviderAnswer<Authorization> {
        guard case .refused(let decline) = error.meaning else { return answer(to: error) }
        guard let intent = await intent(in: error, or: reference) else {
            return .unknown(reason: "the payment intent could not be read after a refusal")
        }
        switch intent.status {
        case "requires_payment_method", "requires_confirmation", "canceled":
            return .declined(intent.lastError ?? decline)
        default: return outcome(of: intent, asked: request.amount, card)
        }
    }

    private func outcome(
        of intent: StripePaymentIntent, asked: Money, _ card: CardSummary?
    ) -> ProviderAnswer<Authorization> {
        switch intent.status {
        case "requires_capture", "succeeded":
            let isCaptured = intent.status == "succeeded"
            let covered = (isCaptured ? intent.received : intent.capturable) ?? asked
            guard intent.amount == asked, covered == asked else { return .unknown(reason: amountMismatch) }
            return .approved(
                Authorization(
                    reference: intent.reference, amount: asked, isCaptured: isCaptured,
                    captureBefore: intent.captureBefore, honoredUntil: intent.honoredUntil,
                    card: merged(card, intent.card)))
        case "requires_action": return .requiresAction(intent.action)
        case "processing": return .unknown(reason: "processing")
        case "requires_payment_method", "canceled":
            return .declined(intent.lastError ?? Decline(reason: .generic, code: intent.status))
        default: return .unknown(reason: "the payment intent is \(intent.status)")
        }
    }

    private func beforeConfirmation<Success>(_ error: StripeError) -> ProviderAnswer<Success> {
        switch error.meaning {
        case .refused(let decline): .declined(decline)
        case .keyRejected(let reason): .keyRejected(reason: reason)
        case .notNow(let reason), .unclear(let reason), .kept(let reason): .notSent(reason: reason)
        }
    }

    /// Merges the provider's card data with fields known only from the reader.
    private func merged(_ ours: CardSummary?, _ theirs: CardSummary?) -> CardSummary? {
        guard let theirs else { return ours }
        return CardSummary(
            brand: theirs.brand, lastFour: theirs.lastFour, entryMode: theirs.entryMode ?? ours?.entryMode,
            emv: theirs.emv ?? ours?.emv)
    }
}

extension StripeProvider {
    var unreadable: String { "the answer cannot be read" }
    var amountMismatch: String { "amount mismatch" }
    /// The response and the list contradict each other, so the state of the money is undetermined.
    var notShownYet: String { "the provider says that it is done already, and does not show it yet" }
    var unsendableAmount: Decline {
        Decline(reason: .invalidAmount, message: "Stripe cannot take this amount in this currency")
    }

    /// Maps an error response to the answer of an operation.
    func answer<Success>(to error: StripeError) -> ProviderAnswer<Success> {
        switch error.meaning {
        case .refused(let decline): .declined(decline)
        case .notNow(let reason): .notSent(reason: reason)
        case .keyRejected(let reason): .keyRejected(reason: reason)
        case .kept(let reason): .unknown(.keySpent(reason))
        case .unclear(let reason): .unknown(reason: reason)
        }
    }

    /// Returns the payment intent in an error, or else queries it; `nil` if it is unreadable.
    func intent(in error: StripeError, or reference: ProviderReference) async -> StripePaymentIntent? {
        if let json = error.paymentIntent, let intent = StripePaymentIntent(json), intent.reference == reference {
            return intent
        }
        let call = StripeRequest.get(StripePath.paymentIntent(reference))
        guard case .answered(let json) = await client.send(call, within: deadline),
            let intent = StripePaymentIntent(json), intent.reference == reference
        else { return nil }
        return intent
    }
}
