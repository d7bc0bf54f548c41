internal import TillCards
internal import TillPayPalClient
internal import TillCore

/// Cards that PayPal's own fields attach to the prepared order, in the customer's browser or app: prepared here,
/// attached there, executed here. What the customer's side reports is never believed; the order is read.
extension PayPalProvider {
    /// The action of an attempt whose order awaits its card.
    static let attachAction = "attach-card"
    /// The action of an order whose customer the bank asks. For a card of PayPal's fields it is kept as the sign that a
    /// challenge was demanded.
    static let payerAction = "payer-action"

    /// Returns the payment source that a new order has for PayPal's fields; `nil` for none. It holds no card, only the
    /// condition of the challenge, because the card is attached without us.
    func attachedSource(_ attempt: AttemptID) -> JSONValue? {
        guard let verification = threeDSecure.verification else { return nil }
        let context = returnURL.map { address -> JSONValue in
            let back = address(attempt)
            return .members(["return_url": .string(back.returnURL), "cancel_url": .string(back.cancelURL)])
        }
        let attributes = JSONValue.members(["verification": .members(["method": .string(verification.rawValue)])])
        return .members(["card": .members(["attributes": attributes, "experience_context": context])])
    }

    /// Hands the prepared order to PayPal's fields. Nothing is sent, and no money moves: it is requested by
    /// ``continueAuthorization(_:)`` once a query has read and judged the order with its card.
    func attach(to reference: PayPalReference) -> ProviderAnswer<Authorization> {
        .requiresAction(CustomerAction(kind: PayPalProvider.attachAction, order: reference.order.rawValue))
    }

    /// Returns the state of an attempt whose card PayPal's fields attach, while PayPal was not asked for the money.
    ///
    /// An order that is refused is marked before it counts as declined: the customer's side holds its identifier, and
    /// could attach another card or have it charged.
    /// - Returns: `nil` if the order has a payment or is over, or if the attempt is another one.
    func attached(
        _ order: OrderResponse, _ request: QueryRequest, _ reference: PayPalReference, until end: Timestamp
    ) async -> ProviderAnswer<ProviderSnapshot>? {
        guard let action = request.action, let name = action.order, name == order.orderID.rawValue else { return nil }
        let standing: ProviderSnapshot.Standing
        switch order.outcome {
        case .payerAction(let asked):
            // An order may demand its payer's action before it has a card: then no bank was asked yet.
            let isAttached = order.card?.lastDigits != nil
            standing =
                isAttached
                ? .requiresAction(CustomerAction(kind: PayPalProvider.payerAction, url: asked?.url, order: name))
                : .unconfirmed
        // It is still `CREATED` without a bank's answer, and awaits its card, or another one.
        case .open where order.card?.authentication == nil: standing = .unconfirmed
        case .approved, .open:
            guard order.purchaseUnits.count == 1,
                order.purchaseUnits.first?.customID == request.context.attempt.rawValue
            else { return .unknown(reason: "the order is not this attempt's") }
            guard let decline = refusal(ofAttached: order, action) else {
                standing = .continuable
                break
            }
            guard await isClosed(order, reference, of: request.context.attempt, until: end) else {
                return .unknown(reason: "the card was refused, and the order is not closed yet")
            }
            standing = .declined(decline)
        case .paid, .partlyPaid, .held, .declined, .pending, .voided: return nil
        }
        return .approved(
            ProviderSnapshot(
                reference: reference.providerReference, standing: standing,
                captured: Money.zero(request.amount.currency)))
    }

    /// Judges the order once more right before its money is requested: another card may have been attached since a
    /// query has judged it, or others may have moved its money. Money that does not fit is left to the next query,
    /// which books it with its objection: the attempt awaits its action again, and nothing is asked for. If it fits, it
    /// may be the counter's own, of a request whose answer was lost, and the request is repeated. What others move
    /// after this look has PayPal refuse the request, and is judged in the same way then.
    /// - Returns: `nil` if the money may be requested.
    func refusalNow(
        _ request: ContinuationRequest, _ reference: PayPalReference, until end: Timestamp
    ) async -> ProviderAnswer<Authorization>? {
        guard let action = request.action, action.order == reference.order.rawValue else { return nil }
        let order: OrderResponse
        switch await self.order(reference.order, until: end) {
        case .order(let read): order = read
        case .missing: return nil
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .unknown(let reason): return .notSent(reason: "the order could not be read: \(reason)")
        }
        if let moved = money(
            in: order, movedAfter: action, request.context, asked: request.amount, isUnderReviewToo: true)
        {
            return moved.objection == nil ? nil : .requiresAction(action)
        }
        guard order.total == request.amount else { return .notSent(reason: amountMismatch) }
        switch order.outcome {
        case .approved, .open:
            guard let decline = refusal(ofAttached: order, action) else { return nil }
            guard await isClosed(order, reference, of: request.context.attempt, until: end) else {
                return .notSent(reason: "the card was refused, and the order is not closed yet")
            }
            return .declined(decline)
        case .payerAction(let asked):
            return .requiresAction(
                CustomerAction(
                    kind: PayPalProvider.payerAction, url: asked?.url, order: reference.order.rawValue))
        case .paid, .partlyPaid, .held, .declined, .pending, .voided: return nil
        }
    }

    /// Returns the answer to a request for the money of an order for which the bank wants to be asked after all. An
    /// order of the fields is named with the page, so that its result is judged as that of any of their cards. Without
    /// a page nobody could answer the bank, and asking for the money again would have the same answer: the order is
    /// closed, and only then declined. If it cannot be closed, it awaits another card, or its page.
    func lateDemand(
        _ answer: ProviderAnswer<Authorization>, _ request: ContinuationRequest, _ reference: PayPalReference,
        until end: Timestamp
    ) async -> ProviderAnswer<Authorization> {
        // An action that names its order is that of money which the next query is to judge.
        guard case .requiresAction(var action) = answer, action.order == nil else { return answer }
        if let name = request.action?.order, name == reference.order.rawValue { action.order = name }
        guard action.url == nil, case .order(let order) = await self.order(reference.order, until: end),
            order.isUnpaid, await isClosed(order, reference, of: request.context.attempt, until: end)
        else { return .requiresAction(action) }
        return .declined(
            Decline(
                reason: .generic, code: "PAYER_ACTION_REQUIRED",
                message: "the bank wants to be asked, and PayPal names no page for it", requestID: order.debugID))
    }

    /// Returns `true` once no request charges the order any more.
    private func isClosed(
        _ order: OrderResponse, _ reference: PayPalReference, of attempt: AttemptID, until end: Timestamp
    ) async -> Bool {
        let key = IdempotencyKey(rawValue: "\(attempt)-refused")
        if case .approved = await mark(order, reference, of: attempt, key: key, until: end) { return true }
        return false
    }

    /// Returns the decline of an order whose attached card may not be charged.
    func refusal(ofAttached order: OrderResponse, _ action: CustomerAction) -> Decline? {
        guard let card = order.card, !order.isOfAccount else {
            return Decline(
                reason: .cardNotSupported, code: "PAYMENT_SOURCE", message: "the order has no card",
                requestID: order.debugID)
        }
        // Without a result no bank was asked, if none had to be. Once a challenge was demanded, its result counts, and
        // a missing one allows nothing.
        let mustHaveResult = threeDSecure == .required || action.kind == PayPalProvider.payerAction
        guard card.authentication != nil || mustHaveResult else { return nil }
        return liabilityRefusal(of: order)
    }
}

extension OrderResponse {
    /// `true` if the order has no payment, and may get one.
    fileprivate var isUnpaid: Bool {
        switch outcome {
        case .payerAction, .approved, .open: true
        case .paid, .partlyPaid, .held, .declined, .pending, .voided: false
        }
    }
}
