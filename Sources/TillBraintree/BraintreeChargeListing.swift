internal import HTTPTypes
internal import TillCore
internal import TillStatements

/// Braintree's transactions, found by its search and each read from the ledger itself. A transaction carries the id of
/// our attempt and thus identifies the payment; it does not identify the order.
struct BraintreeChargeListing: ChargeListing {
    /// The number of transactions read for one page.
    static let pageSize = 50
    /// The maximum number of transactions found by a search; a larger result is unreliable.
    static let maximumFound = 20_000

    let provider: BraintreeProvider

    /// The search lags behind the ledger, and a request may arrive late.
    var lag: Span { BraintreeProvider.lateArrival }

    func charges(since: Timestamp, after cursor: String?) async -> ChargePage {
        let from = XMLNode("min", since.internetTime, type: "datetime")
        let body = XMLNode("search", of: [XMLNode("created_at", of: [from])])
        let outcome = await provider.gateway.send(
            .post, "/transactions/advanced_search_ids", body, within: provider.deadline)
        guard case .answered(let node) = outcome, node.name == "search-results",
            let ids = node["ids"]?.children.map(\.text)
        else { return .failed("Braintree's search was not answered") }
        guard ids.count <= BraintreeChargeListing.maximumFound else {
            return .failed("Braintree's search found more than \(BraintreeChargeListing.maximumFound) transactions")
        }
        // Sorted independently of the search, so that a cursor stays valid whatever is found meanwhile.
        let rest = ids.filter { BraintreeTransaction.isUsable($0) }.sorted().drop { $0 <= cursor ?? "" }
        var found: [ListedCharge] = []
        for id in rest.prefix(BraintreeChargeListing.pageSize) {
            guard case .success(let transaction) = await provider.transaction(id),
                let reference = ProviderReference(ifValid: transaction.id)
            else { return .failed("Braintree's transaction \(id) cannot be read") }
            let step = transaction.orderID
            let mayHaveMoved: Bool =
                switch transaction.meaning {
                case .held, .taken, .undecided: true
                case .voided, .expired, .declined: false
                }
            found.append(
                ListedCharge(
                    transaction.type == "credit" ? .refund : .charge, reference,
                    payment: step.flatMap { PaymentID(ofStep: $0) }, attempt: step.flatMap { AttemptID(ofStep: $0) },
                    mayHaveMoved: mayHaveMoved,
                    amount: transaction.amount, status: transaction.status))
        }
        return .listed(found, next: rest.count > found.count ? found.last?.reference.rawValue : nil)
    }
}
