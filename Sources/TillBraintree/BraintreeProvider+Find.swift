internal import HTTPTypes
public import TillCore

extension BraintreeProvider {
    /// Why nothing can be said of a transaction.
    struct SearchFailure: Error {
        let reason: String
    }

    /// The transaction as it stands; `nil` if it cannot be read.
    func transaction(_ reference: ProviderReference) async -> BraintreeTransaction? {
        guard case .answered(let node) = await gateway.send(.get, "/transactions/\(reference)", within: deadline)
        else { return nil }
        return BraintreeTransaction(node)
    }

    /// Which payment a transaction belongs to, by what Braintree says of it now.
    /// - Parameter id: as a webhook names it.
    public func payment(ofTransaction id: String) async -> PaymentLookup {
        guard BraintreeTransaction.isUsable(id) else { return .none }
        switch await gateway.send(.get, "/transactions/\(id)", within: deadline) {
        case .answered(let node):
            let order = BraintreeTransaction(node)?.orderID
            return order.flatMap { PaymentID(ofStep: $0) }.map { .payment($0) } ?? .none
        case .refused: return .none
        case .failed(let status): return status == 404 ? .none : .unknown
        case .notSent, .unknown: return .unknown
        }
    }

    /// What came of ``payment(ofTransaction:)``.
    public enum PaymentLookup: Hashable, Sendable {
        /// It is this payment's.
        case payment(PaymentID)
        /// It is none of ours.
        case none
        /// Braintree could not be asked.
        case unknown
    }

    /// The transaction of an attempt or a refund, found by its order id. A declined one does not hide another.
    func find(_ name: some Identifier) async -> Result<BraintreeTransaction?, SearchFailure> {
        let body = XMLNode("search", of: [XMLNode("order_id", of: [XMLNode("is", name.rawValue)])])
        let node: XMLNode
        switch await gateway.send(.post, "/transactions/advanced_search_ids", body, within: deadline) {
        case .answered(let found): node = found
        case .refused, .failed: return .failure(SearchFailure(reason: "the search was refused"))
        case .notSent(let reason), .unknown(let reason): return .failure(SearchFailure(reason: reason))
        }
        guard node.name == "search-results", let ids = node["ids"]?.children.map(\.text) else {
            return .failure(SearchFailure(reason: "the answer cannot be read"))
        }
        guard ids.count <= BraintreeProvider.maximumFound else {
            return .failure(SearchFailure(reason: "the search found too much"))
        }
        var found: BraintreeTransaction?
        for id in ids where BraintreeTransaction.isUsable(id) {
            guard let transaction = await transaction(ProviderReference(rawValue: id)) else {
                return .failure(SearchFailure(reason: "a transaction cannot be read"))
            }
            guard transaction.orderID == name.rawValue else { continue }
            if found == nil || found?.meaning == .declined { found = transaction }
        }
        return .success(found)
    }

    /// A refused step may be the repetition of one that was done.
    func settled(
        _ reference: ProviderReference, _ decline: Decline, _ isDone: (BraintreeTransaction) -> Bool
    ) async -> ProviderAnswer<Confirmation> {
        guard let current = await transaction(reference) else {
            return .unknown(reason: "the transaction could not be read after a refusal")
        }
        if isDone(current) { return .approved(Confirmation(reference: reference)) }
        var decline = decline
        if current.meaning == .expired { decline.reason = .authorizationExpired }
        return .declined(decline)
    }

    func failed<Success>(_ status: Int) -> ProviderAnswer<Success> {
        switch status {
        case 401, 403:
            .declined(Decline(reason: .invalidRequest, code: "\(status)", message: "Braintree refused our key"))
        case 404: .declined(Decline(reason: .invalidRequest, code: "404", message: "Braintree does not know it"))
        case 426, 429: .notSent(reason: "the provider is busy (HTTP \(status))")
        default: .unknown(reason: "the provider failed (HTTP \(status))")
        }
    }

    /// The first error of a refusal.
    func refusal(_ node: XMLNode) -> Decline {
        func first(_ node: XMLNode, _ depth: Int) -> (String, String)? {
            if node.name == "error", let code = node.value("code") { return (code, node.value("message") ?? "") }
            for child in node.children {
                if let found = first(child, depth + 1) { return found }
            }
            return nil
        }
        let (code, message) = first(node, 0) ?? ("", node.value("message") ?? "")
        let reason: DeclineReason =
            switch code {
            case "91564", "91565", "93107": .invalidRequest  // a nonce that is used up or unknown
            case "81528", "81503", "81531": .invalidAmount
            case "91504", "91506", "91507": .invalidRequest
            default: .invalidRequest
            }
        return Decline(
            reason: reason, code: code.isEmpty ? nil : String(code.prefix(16)),
            message: CardScrubbing.withoutNumbers(String(message.prefix(300))))
    }
}
