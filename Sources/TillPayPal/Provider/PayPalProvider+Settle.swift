internal import HTTPTypes
internal import TillPayPalClient
public import TillCore

extension PayPalProvider {
    /// Captures held money by authorization id; the card is not needed. A renewed hold is captured under its new id.
    public func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = PayPalReference(request.context.reference) else {
            return .notSent(reason: "there is no order")
        }
        let end = clock.now().adding(deadline)
        var hold = reference.renewed ?? reference.authorization
        // Within the honor period no hold has been renewed yet, and the reference contains the id of any renewal by
        // Till. Otherwise the hold may have been renewed elsewhere, so the order is read.
        let age = clock.now().since(request.context.startedAt)
        let mayBeRenewed = age > AuthorizationLife.honorPeriod || clock.standing.doubt != nil
        if hold == nil || (reference.renewed == nil && mayBeRenewed) {
            switch await order(reference.order, until: end) {
            case .order(let order):
                let usable = order.authorizations.last { [.created, .partiallyCaptured].contains($0.status) }
                hold = usable?.id ?? hold
            case .missing: break
            case .keyRejected(let reason): return .keyRejected(reason: reason)
            case .unknown(let reason): return .notSent(reason: reason)
            }
        }
        guard let hold else { return .declined(Decline(reason: .invalidRequest, message: "there is no hold")) }
        guard let amount = PayPalMoney.members(ifExact: request.amount) else {
            return .declined(Decline(reason: .invalidAmount, message: "PayPal cannot take this amount"))
        }
        let body = JSONValue.members([
            "amount": .object(amount), "invoice_id": .string(request.capture.rawValue),
            "final_capture": .bool(request.isFinal),
        ])
        let call = PayPalCall.post(PayPalPath.authorization(hold, "capture"), body, key: request.key)
        switch await connection.send(call, within: end.since(clock.now())) {
        case .answered(_, let json, let debugID):
            guard let capture = OrderCapture(json) else { return .unknown(reason: unreadable) }
            guard capture.amount == request.amount else { return .unknown(reason: amountMismatch) }
            if CompletedCapture(capture) != nil {
                return .approved(Confirmation(reference: ProviderReference(rawValue: capture.id.rawValue)))
            }
            if capture.isRefused { return .declined(capture.decline(debugID: debugID)) }
            return .unknown(.pending)
        // Already captured, by Till or elsewhere: the sum of the captures decides.
        case .failed(let error) where error.kind == .alreadyDone: return .unknown(.pending)
        case .failed(let error) where error.needsQuery: return await settled(error, reference, request, until: end)
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Resolves a refusal, which may answer a repeated capture that was already executed, by the order's captures.
    private func settled(
        _ error: PayPalError, _ reference: PayPalReference, _ request: CaptureRequest, until end: Timestamp
    ) async -> ProviderAnswer<Confirmation> {
        guard case .order(let order) = await order(reference.order, until: end) else {
            return .unknown(reason: "the captures could not be read after a refusal")
        }
        let isMine = order.captures.contains { $0.step == request.capture && !$0.isRefused }
        return isMine ? .unknown(.pending) : .declined(error.decline)
    }

    /// Voids a hold. An order without one is marked so that no call in flight can charge it: its intent is switched to
    /// the other one, under which that call is refused, and its custom id marks it as void.
    public func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = PayPalReference(request.context.reference) else {
            return .unknown(reason: "there is no order to void")
        }
        let end = clock.now().adding(deadline)
        if let hold = reference.authorization { return await void(hold, reference, request, until: end) }
        let order: OrderResponse
        switch await self.order(reference.order, until: end) {
        case .missing: return .approved(Confirmation(reference: reference.providerReference))
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .unknown(let reason): return .notSent(reason: reason)
        case .order(let read): order = read
        }
        switch order.outcome {
        case .held(let hold): return await void(hold.id, reference, request, until: end)
        case .declined, .voided: return .approved(Confirmation(reference: reference.providerReference))
        case .paid, .partlyPaid, .pending: return .unknown(.pending)
        case .payerAction, .approved, .open:
            return await mark(order, reference, of: request.context.attempt, key: request.key, until: end)
        }
    }

    private func void(
        _ hold: PayPalAuthorizationID, _ reference: PayPalReference, _ request: VoidRequest, until end: Timestamp
    ) async -> ProviderAnswer<Confirmation> {
        let call = PayPalCall.post(PayPalPath.authorization(hold, "void"), nil, key: request.key)
        switch await connection.send(call, within: end.since(clock.now())) {
        case .answered: return .approved(Confirmation(reference: reference.providerReference))
        case .failed(let error) where error.needsQuery: return await settled(error, hold, reference, until: end)
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Resolves a refused void, which may be a repetition, or concern a hold captured elsewhere, by reading the hold.
    private func settled(
        _ error: PayPalError, _ hold: PayPalAuthorizationID, _ reference: PayPalReference, until end: Timestamp
    ) async -> ProviderAnswer<Confirmation> {
        guard case .order(let order) = await order(reference.order, until: end) else {
            return .unknown(reason: "the hold could not be read after a refusal")
        }
        switch order.authorizations.last(where: { $0.id == hold })?.status {
        case .voided?: return .approved(Confirmation(reference: reference.providerReference))
        // Nothing is left to release, and nothing ever will be.
        case .captured?: return .declined(error.decline)
        default: return .unknown(.pending)
        }
    }

    /// Marks an order that has no payment, so that no request charges it any more.
    func mark(
        _ order: OrderResponse, _ reference: PayPalReference, of attempt: AttemptID, key: IdempotencyKey,
        until end: Timestamp
    ) async -> ProviderAnswer<Confirmation> {
        let mark = PayPalProvider.voidMark + attempt.rawValue
        if order.purchaseUnits.contains(where: { $0.customID == mark }) {
            return .approved(Confirmation(reference: reference.providerReference))
        }
        let other: OrderIntent = order.intent == .authorize ? .capture : .authorize
        let patch: [JSONValue] = [
            .members([
                "op": .string("replace"), "path": .string("/purchase_units/@reference_id=='default'/custom_id"),
                "value": .string(mark),
            ]),
            .members(["op": .string("replace"), "path": .string("/intent"), "value": .string(other.rawValue)]),
        ]
        let call = PayPalCall(
            .patch, PayPalPath.order(order.orderID), body: JSONValue.array(patch).bytes(),
            contentType: "application/json", key: key)
        switch await connection.send(call, within: end.since(clock.now())) {
        case .answered: return .approved(Confirmation(reference: reference.providerReference))
        // A call in flight has charged it meanwhile: the next query finds the payment to void or refund.
        case .failed(let error) where error.status == 422 || error.status == 404: return .unknown(.pending)
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Refunds captured money. If the order has several captures, it is read first, and an existing refund is not
    /// repeated.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = PayPalReference(request.context.reference) else {
            return .notSent(reason: "there is no order")
        }
        let end = clock.now().adding(deadline)
        let capture: PayPalCaptureID
        if let only = reference.capture {
            capture = only
        } else {
            switch await order(reference.order, until: end) {
            case .order(let order):
                if let done = order.refunds.first(where: { $0.customID == request.refund.rawValue }) {
                    return answer(done, asked: request.amount)
                }
                guard let found = PayPalProvider.capture(in: order, with: request.amount) else {
                    return .declined(
                        Decline(
                            reason: .invalidAmount,
                            message: "no single capture has so much left: refund each capture by itself"))
                }
                capture = found
            case .missing: return .declined(Decline(reason: .invalidRequest, message: "PayPal does not know the order"))
            case .keyRejected(let reason): return .keyRejected(reason: reason)
            case .unknown(let reason): return .notSent(reason: reason)
            }
        }
        return await refund(capture, reference, request, until: end)
    }

    private func refund(
        _ capture: PayPalCaptureID, _ reference: PayPalReference, _ request: RefundRequest, until end: Timestamp
    ) async -> ProviderAnswer<Confirmation> {
        guard let amount = PayPalMoney.members(ifExact: request.amount) else {
            return .declined(Decline(reason: .invalidAmount, message: "PayPal cannot take this amount"))
        }
        let body = JSONValue.members([
            "amount": .object(amount), "custom_id": .string(request.refund.rawValue),
            "invoice_id": .string(request.refund.rawValue),
        ])
        let call = PayPalCall.post(PayPalPath.capture(capture, "refund"), body, key: request.key)
        switch await connection.send(call, within: end.since(clock.now())) {
        case .answered(_, let json, let debugID):
            guard let refund = OrderRefund(json) else { return .unknown(reason: unreadable) }
            return answer(refund, asked: request.amount, debugID: debugID)
        case .failed(let error) where error.status == 422: return await settled(error, reference, request, until: end)
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Resolves a refusal, which may answer a repeated refund that was already executed, or concern money refunded
    /// elsewhere, such as in PayPal's dashboard, by the order's own list of refunds.
    private func settled(
        _ error: PayPalError, _ reference: PayPalReference, _ request: RefundRequest, until end: Timestamp
    ) async -> ProviderAnswer<Confirmation> {
        guard error.needsQuery || error.saysNotDone else { return answer(to: error) }
        guard case .order(let order) = await order(reference.order, until: end) else {
            return .unknown(reason: "the refunds could not be read after a refusal")
        }
        let name = request.refund.rawValue
        if let done = order.refunds.last(where: { $0.customID == name }) {
            return answer(done, asked: request.amount, debugID: order.debugID)
        }
        var decline = error.decline
        let foreign = order.refunds.filter { refund in
            !["FAILED", "CANCELLED"].contains(refund.status)
                && refund.customID.flatMap { PaymentID(ofStep: $0) } != request.context.payment
        }
        if decline.reason != .disputed, !foreign.isEmpty {
            decline.reason = .alreadyRefunded
            let names = foreign.prefix(3).map { "\($0.amount) as \($0.id)" }.joined(separator: ", ")
            decline.message = "refunded elsewhere: \(names)"
            return .declined(decline)
        }
        return undone(error)
    }

    private func answer(
        _ refund: OrderRefund, asked: Money, debugID: String? = nil
    ) -> ProviderAnswer<Confirmation> {
        guard refund.amount == asked else { return .unknown(reason: amountMismatch) }
        switch PayPalProvider.status(of: refund) {
        case .succeeded: return .approved(Confirmation(reference: ProviderReference(rawValue: refund.id.rawValue)))
        case .pending: return .unknown(.pending)
        case .failed(var decline):
            decline.requestID = debugID
            return .declined(decline)
        }
    }

    /// Returns the capture with the largest refundable remainder, if that covers the amount.
    static func capture(in order: OrderResponse, with amount: Money) -> PayPalCaptureID? {
        var best: (PayPalCaptureID, Int64)?
        for capture in order.captures.compactMap({ CompletedCapture($0)?.capture }) {
            guard capture.amount.currency == amount.currency else { continue }
            let back = order.refunds.filter {
                $0.capture == capture.id && !["FAILED", "CANCELLED"].contains($0.status)
            }
            .reduce(Int64(0)) { $0 &+ $1.amount.minorUnits }
            let left = capture.amount.minorUnits &- back
            if left >= amount.minorUnits, left > best?.1 ?? 0 { best = (capture.id, left) }
        }
        return best?.0
    }
}
