internal import TillCards
internal import TillPayPalClient
public import TillCore

extension PayPalProvider {
    /// Sends the card to the prepared order: captures the money or holds it, according to the order's intent.
    public func authorize(
        _ request: AuthorizationRequest, with tender: Tender
    ) async -> ProviderAnswer<Authorization> {
        guard let reference = PayPalReference(request.context.reference) else {
            return .notSent(reason: "no order was prepared")
        }
        if case .payPal = tender { return await askForApproval(request, reference) }
        if case .payPalCard = tender { return attach(to: reference) }
        let source: JSONValue
        let secrets: [Secret<String>]
        switch PayPalProvider.source(
            of: tender, amount: request.amount, returnURL: returnURL?(request.context.attempt),
            verification: threeDSecure.verification)
        {
        case .success(let usable): (source, secrets) = usable
        case .failure(let refused): return .declined(refused.decline)
        }
        let end = clock.now().adding(deadline)
        let verb = request.captureMode == .automatic ? "capture" : "authorize"
        let call = PayPalCall.post(
            PayPalPath.order(reference.order, verb), .members(["payment_source": source]), key: request.key,
            secrets: secrets)
        switch await connection.send(call, within: deadline) {
        case .answered(_, let json, let debugID):
            guard let order = OrderResponse(json, debugID: debugID), order.orderID == reference.order else {
                return .unknown(reason: unreadable)
            }
            return answer(order, asked: request.amount, card: tender.summary.card)
        case .failed(let error):
            return await settled(
                error, asked: request.amount, reference, tender.summary.card, judging: nil, of: request.context,
                until: end)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Asks PayPal for the page on which the customer approves the prepared order. Moves no money, and may be repeated:
    /// the money is requested by ``continueAuthorization(_:)`` once the customer has approved.
    private func askForApproval(
        _ request: AuthorizationRequest, _ reference: PayPalReference
    ) async -> ProviderAnswer<Authorization> {
        guard let back = returnURL?(request.context.attempt) else {
            return .declined(Decline(reason: .invalidRequest, message: "there is no address to come back to"))
        }
        let context = JSONValue.members([
            "return_url": .string(back.returnURL), "cancel_url": .string(back.cancelURL),
            // The amount is final: PayPal's button says that it pays, and asks for no address.
            "user_action": .string("PAY_NOW"), "shipping_preference": .string("NO_SHIPPING"),
        ])
        let source = JSONValue.members(["paypal": .members(["experience_context": context])])
        let call = PayPalCall.post(
            PayPalPath.order(reference.order, "confirm-payment-source"), .members(["payment_source": source]),
            key: request.key)
        switch await connection.send(call, within: deadline) {
        case .answered(_, let json, let debugID):
            guard let order = OrderResponse(json, debugID: debugID), order.orderID == reference.order else {
                return .unknown(reason: unreadable)
            }
            return answer(order, asked: request.amount, card: nil)
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// The decline of a tender that cannot be sent.
    private struct Refused: Error {
        let decline: Decline

        init(_ reason: DeclineReason, _ message: String) { decline = Decline(reason: reason, message: message) }
    }

    /// Returns the payment source of a tender, and its values that must never be echoed.
    private static func source(
        of tender: Tender, amount: Money, returnURL: ChallengeReturn?, verification: ChallengeCondition?
    ) -> Result<(JSONValue, [Secret<String>]), Refused> {
        let number: Secret<String>
        let source: (JSONValue, [Secret<String>])
        switch tender {
        case .card(let card):
            number = card.number
            source = CardSource.json(card, challenge: returnURL, verification: verification)
        case .wallet(let payment):
            guard let token = payment.networkToken else {
                return .failure(Refused(.cardNotSupported, "PayPal takes wallet tokens that the shop has opened"))
            }
            guard let opened = WalletSource.json(payment, amount: amount) else {
                return .failure(Refused(.cardNotSupported, "PayPal takes Apple Pay only, of wallets"))
            }
            number = token.number
            source = opened
        case .cardPresent, .token, .payPal, .payPalCard, .adyenSession, .cash:
            return .failure(Refused(.cardNotSupported, "PayPal takes typed cards and Apple Pay only"))
        }
        guard (13...19).contains(number.reveal().utf8.count) else {
            return .failure(Refused(.incorrectNumber, "PayPal takes numbers of 13 to 19 digits"))
        }
        return .success(source)
    }

    /// Returns the result of an order for its attempt.
    func answer(_ order: OrderResponse, asked: Money, card: CardSummary?) -> ProviderAnswer<Authorization> {
        switch order.outcome {
        case .paid(let paid):
            guard paid.amount == asked, let first = paid.captures.first else { return .unknown(reason: amountMismatch) }
            let reference = PayPalReference(order: order.orderID, capture: first.capture.id)
            return .approved(
                Authorization(
                    reference: reference.providerReference, amount: asked, isCaptured: true,
                    card: order.card?.summary ?? card))
        // Only a shop's own order has several units; an attempt's order has one.
        case .partlyPaid: return .unknown(reason: "only a part of the order was paid")
        case .held(let hold):
            guard hold.amount == asked else { return .unknown(reason: amountMismatch) }
            return .approved(
                authorization(
                    of: hold, in: PayPalReference(order: order.orderID), amount: asked,
                    card: order.card?.summary ?? card))
        case .declined(let decline): return .declined(decline)
        case .pending(let reason): return .unknown(reason: reason)
        case .payerAction(let action):
            return .requiresAction(CustomerAction(kind: PayPalProvider.payerAction, url: action?.url))
        case .approved: return .unknown(reason: "the order is approved, and nothing was asked for")
        case .open: return .unknown(reason: "nothing was asked for yet")
        case .voided: return .declined(Decline(reason: .generic, code: "VOIDED", requestID: order.debugID))
        }
    }

    /// Returns a hold with the expiration reported by PayPal. A hold other than the one in the reference is its
    /// renewal.
    func authorization(
        of hold: OrderAuthorization, in reference: PayPalReference, amount: Money, card: CardSummary?
    ) -> Authorization {
        let original = reference.authorization ?? hold.id
        let name = PayPalReference(
            order: reference.order, authorization: original, renewed: hold.id == original ? nil : hold.id)
        let honored = hold.created.map { $0.adding(AuthorizationLife.honorPeriod) }
        return Authorization(
            reference: name.providerReference, amount: amount, captureBefore: hold.expires,
            honoredUntil: honored.map { min($0, hold.expires ?? $0) }, card: card)
    }

    /// Requests the money of an order after the customer has passed the challenge. PayPal already has the card.
    public func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization> {
        guard let reference = PayPalReference(request.context.reference) else {
            return .unknown(reason: "there is no order")
        }
        let end = clock.now().adding(deadline)
        if let refused = await refusalNow(request, reference, until: end) { return refused }
        let answer = await continued(request, reference, until: end)
        return await lateDemand(answer, request, reference, until: end)
    }

    private func continued(
        _ request: ContinuationRequest, _ reference: PayPalReference, until end: Timestamp
    ) async -> ProviderAnswer<Authorization> {
        let verb = request.captureMode == .automatic ? "capture" : "authorize"
        let call = PayPalCall.post(PayPalPath.order(reference.order, verb), .object([]), key: request.key)
        switch await connection.send(call, within: end.since(clock.now())) {
        case .answered(_, let json, let debugID):
            guard let order = OrderResponse(json, debugID: debugID), order.orderID == reference.order else {
                return .unknown(reason: unreadable)
            }
            return answer(order, asked: request.amount, card: nil)
        case .failed(let error):
            return await settled(
                error, asked: request.amount, reference, nil, judging: request.action, of: request.context, until: end)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Resolves a refusal, which may answer a repeated call that was already executed, by reading the order. Money on
    /// an order of the fields was moved by others since it was judged, unless it is the counter's own: it counts only
    /// if all of it fits. Otherwise the attempt awaits its action again, and the next query books it with an objection.
    private func settled(
        _ error: PayPalError, asked: Money, _ reference: PayPalReference, _ card: CardSummary?,
        judging action: CustomerAction?, of context: AttemptContext, until end: Timestamp
    ) async -> ProviderAnswer<Authorization> {
        guard error.needsQuery || error.kind == .payerAction else { return answer(to: error) }
        if error.issue == .payerActionRequired, let url = error.payerAction {
            return .requiresAction(CustomerAction(kind: PayPalProvider.payerAction, url: url))
        }
        switch await order(reference.order, until: end) {
        case .order(let order):
            let moved = action.flatMap {
                money(in: order, movedAfter: $0, context, asked: asked, isUnderReviewToo: true)
            }
            if let action, moved?.objection != nil { return .requiresAction(action) }
            let asksBank = error.issue == .payerActionRequired
            switch order.outcome {
            // An order stays approved although the bank wants to be asked: its approval says nothing of that.
            case .open where asksBank, .approved where asksBank:
                return .requiresAction(
                    CustomerAction(kind: PayPalProvider.payerAction, url: PayerAction.link(in: order)))
            case .open: return undone(error)
            case .paid, .partlyPaid, .held, .declined, .pending, .payerAction, .approved, .voided:
                return answer(order, asked: asked, card: card)
            }
        case .missing: return undone(error)
        case .keyRejected(let reason): return .unknown(reason: "after a refusal: \(reason)")
        case .unknown(let reason): return .unknown(reason: "after a refusal the order could not be read: \(reason)")
        }
    }
}
