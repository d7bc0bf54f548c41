internal import HTTPTypes
public import TillCore

extension BraintreeProvider {
    /// A failure to read a transaction.
    enum ReadFailure: Error {
        case keyRejected(String)
        case unreadable(String)

        init(_ outcome: BraintreeOutcome, _ what: String) {
            switch outcome {
            case .keyRejected(let reason): self = .keyRejected(reason)
            case .notSent(let reason), .unknown(let reason): self = .unreadable(reason)
            case .failed(let status): self = .unreadable("\(what) (HTTP \(status))")
            case .answered, .refused: self = .unreadable(what)
            }
        }

        /// Returns `keyRejected` or `notSent`, since no other call was made.
        func notSent<Success>() -> ProviderAnswer<Success> {
            switch self {
            case .keyRejected(let reason): .keyRejected(reason: reason)
            case .unreadable(let reason): .notSent(reason: reason)
            }
        }

        /// Returns the answer of a query to which Braintree did not respond.
        func unanswered<Success>() -> ProviderAnswer<Success> {
            switch self {
            case .keyRejected(let reason): .keyRejected(reason: reason)
            case .unreadable(let reason): .unknown(reason: reason)
            }
        }
    }

    /// Returns the current transaction.
    func transaction(_ id: String) async -> Result<BraintreeTransaction, ReadFailure> {
        let outcome = await gateway.send(.get, "/transactions/\(id)", within: deadline)
        guard case .answered(let node) = outcome, let transaction = BraintreeTransaction(node) else {
            return .failure(ReadFailure(outcome, "the transaction cannot be read"))
        }
        return .success(transaction)
    }

    /// Returns the refunds listed in a sale's own document, which is consistent with the ledger, as the search need not
    /// be.
    func refunds(of sale: BraintreeTransaction) async -> Result<[BraintreeTransaction], ReadFailure> {
        guard sale.refundIDs.count <= BraintreeProvider.maximumFound else {
            return .failure(.unreadable("the sale has too many refunds to read"))
        }
        var refunds: [BraintreeTransaction] = []
        for id in sale.refundIDs {
            switch await transaction(id) {
            case .success(let refund): refunds.append(refund)
            case .failure(let failure): return .failure(failure)
            }
        }
        return .success(refunds)
    }

    /// Returns the payment that owns a transaction, by Braintree's current data.
    /// - Parameter id: the id named in a webhook.
    public func payment(ofTransaction id: String) async -> PaymentLookup {
        await payment(ofTransaction: id, isOfRefund: false)
    }

    private func payment(ofTransaction id: String, isOfRefund: Bool) async -> PaymentLookup {
        guard BraintreeTransaction.isUsable(id) else { return .none }
        switch await gateway.send(.get, "/transactions/\(id)", within: deadline) {
        case .answered(let node):
            guard let found = BraintreeTransaction(node) else { return .none }
            if let order = found.orderID, let payment = PaymentID(ofStep: order) {
                return .payment(payment, AttemptID(ofStep: order))
            }
            // A refund initiated elsewhere need not carry our order id; its sale does.
            guard let sale = found.refundedID, !isOfRefund else { return .none }
            return await payment(ofTransaction: sale, isOfRefund: true)
        case .refused: return .none
        case .failed(let status): return status == 404 ? .none : .unknown
        case .keyRejected, .notSent, .unknown: return .unknown
        }
    }

    /// The result of ``payment(ofTransaction:)``.
    public enum PaymentLookup: Hashable, Sendable {
        /// The transaction belongs to this payment, and is that of its attempt if it names one.
        case payment(PaymentID, AttemptID?)
        /// The transaction is not one of ours.
        case none
        /// Braintree could not be queried.
        case unknown
    }

    /// Finds the sale of an attempt, or the credit of a refund, by its order id. A declined transaction does not hide
    /// another. A refund in the control panel inherits the order id of its sale.
    func find(_ name: some Identifier, type: String) async -> Result<BraintreeTransaction?, ReadFailure> {
        let body = XMLNode("search", of: [XMLNode("order_id", of: [XMLNode("is", name.rawValue)])])
        let outcome = await gateway.send(.post, "/transactions/advanced_search_ids", body, within: deadline)
        guard case .answered(let node) = outcome else {
            return .failure(ReadFailure(outcome, "the search was refused"))
        }
        guard node.name == "search-results", let ids = node["ids"]?.children.map(\.text) else {
            return .failure(.unreadable("the answer cannot be read"))
        }
        guard ids.count <= BraintreeProvider.maximumFound else {
            return .failure(.unreadable("the search found too much"))
        }
        var found: BraintreeTransaction?
        for id in ids where BraintreeTransaction.isUsable(id) {
            switch await transaction(id) {
            case .failure(let failure): return .failure(failure)
            case .success(let transaction):
                guard transaction.orderID == name.rawValue, transaction.type == type else { continue }
                if found == nil || found?.meaning == .declined { found = transaction }
            }
        }
        return .success(found)
    }

    /// Resolves a refused step, which may be the retry of a successful one.
    func settled(
        _ reference: ProviderReference, _ refusal: XMLNode, captured: Money? = nil,
        _ isDone: (BraintreeTransaction) -> Bool
    ) async -> ProviderAnswer<Confirmation> {
        guard case .success(let current) = await transaction(reference.rawValue) else {
            return .unknown(reason: "the transaction could not be read after a refusal")
        }
        if isDone(current) {
            // A transaction is submitted for settlement once: with another amount, this request did not do it.
            if let captured, current.amount != captured { return .declined(.capturedElsewhere(current.amount)) }
            return .approved(Confirmation(reference: reference))
        }
        var decline = self.refusal(refusal).decline
        // The response and the transaction contradict each other.
        if decline.reason == .alreadyCaptured, current.meaning == .held { return .unknown(reason: notShownYet) }
        if current.meaning == .expired { decline.reason = .authorizationExpired }
        return .declined(decline)
    }

    func failed<Success>(_ status: Int) -> ProviderAnswer<Success> {
        switch status {
        case 404: .declined(Decline(reason: .invalidRequest, code: "404", message: "Braintree does not know it"))
        case 426, 429: .notSent(reason: "the provider is busy (HTTP \(status))")
        default: .unknown(reason: "the provider failed (HTTP \(status))")
        }
    }

    /// Returns the decline of the decisive error, and its need for a query.
    func refusal(_ node: XMLNode) -> (decline: Decline, needsQuery: Bool) {
        var errors: [(code: String, message: String)] = []
        func collect(_ node: XMLNode) {
            if node.name == "error", let code = node.value("code"), errors.count < BraintreeProvider.maximumErrors {
                errors.append((code, node.value("message") ?? ""))
            }
            for child in node.children { collect(child) }
        }
        collect(node)
        let row = BraintreeCodes.decisive(errors.map(\.code))
        let reported = errors.first { $0.code == row?.rawValue } ?? errors.first
        let message = ProviderText.cut(reported?.message ?? node.value("message") ?? "", atMost: 300)
        let decline = Decline(
            reason: row?.reason ?? .invalidRequest, code: (reported?.code).map { ProviderText.cut($0, atMost: 16) },
            message: CardNumberMask.maskedForPeople(message))
        return (decline, row?.money.needsQuery ?? false)
    }
}
