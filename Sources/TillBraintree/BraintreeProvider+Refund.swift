internal import HTTPTypes
public import TillCore

extension BraintreeProvider {
    /// Refunds a payment. Before settlement, which takes a day, only the full amount can be returned, by a void; a
    /// partial refund waits.
    ///
    /// Braintree has no idempotency keys, so a refund is sent only when no earlier request can arrive any more
    /// (``lateArrival``), and neither the sale's own list of refunds nor a search by our id shows it.
    public func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> {
        guard let reference = request.context.reference, BraintreeTransaction.isUsable(reference.rawValue) else {
            return .notSent(reason: "there is no transaction")
        }
        guard let amount = wire.wireDecimalString(ifExact: request.amount) else {
            return .declined(Decline(reason: .invalidAmount, message: "Braintree cannot take this amount"))
        }
        let sale: BraintreeTransaction
        switch await transaction(reference.rawValue) {
        case .success(let read): sale = read
        case .failure(let failure): return failure.notSent()
        }
        if sale.meaning == .voided, sale.amount == request.amount {
            return .approved(Confirmation(reference: reference))
        }
        let listed: [BraintreeTransaction]
        switch await refunds(of: sale) {
        case .success(let read): listed = read
        case .failure(let failure): return failure.notSent()
        }
        if let made = made(in: listed, request) { return made }
        switch await find(request.refund, type: "credit") {
        case .success(let found?): return answer(found, request)
        case .success(nil): break
        case .failure(let failure): return failure.notSent()
        }
        guard sale.isSettled else {
            guard sale.amount == request.amount else { return .notSent(reason: "the sale is not settled yet") }
            return await voidWhole(reference)
        }
        if let left = request.mayHaveLeft, clock.now().since(left) <= BraintreeProvider.lateArrival {
            let end = left.adding(BraintreeProvider.lateArrival)
            return .notSent(reason: "an earlier request for it may still arrive; it is sent again after \(end)")
        }
        let body = XMLNode(
            "transaction", of: [XMLNode("amount", amount), XMLNode("order_id", request.refund.rawValue)])
        switch await gateway.send(.post, "/transactions/\(reference)/refund", body, within: deadline) {
        case .answered(let node):
            guard let done = BraintreeTransaction(node) else { return .unknown(reason: "the answer cannot be read") }
            return answer(done, request)
        case .refused(let node): return await settled(refusal(node).decline, request, reference)
        case .failed(let status): return failed(status)
        case .keyRejected(let reason): return .keyRejected(reason: reason)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }

    /// Voids a sale that was not settled when it was read. If it was settled in between, the void is refused, and the
    /// next attempt refunds it.
    private func voidWhole(_ reference: ProviderReference) async -> ProviderAnswer<Confirmation> {
        let answer = await void(reference)
        guard case .declined = answer, case .success(let now) = await transaction(reference.rawValue), now.isSettled
        else { return answer }
        return .notSent(reason: "the sale was settled meanwhile")
    }

    private func answer(_ refund: BraintreeTransaction, _ request: RefundRequest) -> ProviderAnswer<Confirmation> {
        guard refund.amount == request.amount, refund.type == "credit" else {
            return .unknown(reason: "amount mismatch")
        }
        switch refund.meaning {
        case .taken: return .approved(Confirmation(reference: ProviderReference(rawValue: refund.id)))
        case .declined, .voided, .expired: return .declined(refund.decline)
        case .held, .undecided: return .unknown(.pending)
        }
    }

    /// Returns the answer for an existing refund; a failed one does not hide another.
    private func made(
        in listed: [BraintreeTransaction], _ request: RefundRequest
    ) -> ProviderAnswer<Confirmation>? {
        let mine = listed.filter { $0.orderID == request.refund.rawValue }
        let live = mine.filter(\.mayHaveMoved)
        // A query reports the excess amount.
        if live.count > 1 { return .unknown(.pending) }
        return (live.first ?? mine.first).map { answer($0, request) }
    }

    /// Resolves a refused refund, which may be the retry of a successful one, or the money was refunded elsewhere, such
    /// as in the control panel. The sale's own list of refunds decides.
    private func settled(
        _ decline: Decline, _ request: RefundRequest, _ reference: ProviderReference
    ) async -> ProviderAnswer<Confirmation> {
        guard case .success(let sale) = await transaction(reference.rawValue),
            case .success(let listed) = await refunds(of: sale)
        else { return .unknown(reason: "the refunds could not be read after a refusal") }
        if sale.meaning == .voided, sale.amount == request.amount {
            return .approved(Confirmation(reference: reference))
        }
        if let made = made(in: listed, request) { return made }
        var decline = decline
        let foreign = listed.filter { refund in
            refund.mayHaveMoved && !(refund.orderID.map(request.context.payment.isRefund) ?? false)
        }
        if decline.reason != .disputed, !foreign.isEmpty {
            decline.reason = .alreadyRefunded
            let names = foreign.prefix(3).map { "\($0.amount) as \($0.id)" }.joined(separator: ", ")
            decline.message = "refunded elsewhere: \(names)"
        } else if decline.reason == .alreadyRefunded {
            return .unknown(reason: notShownYet)
        }
        return .declined(decline)
    }
}

extension BraintreeTransaction {
    /// `true` if the refund has moved money or may still move it.
    fileprivate var mayHaveMoved: Bool {
        switch meaning {
        case .held, .taken, .undecided: true
        case .voided, .expired, .declined: false
        }
    }
}
