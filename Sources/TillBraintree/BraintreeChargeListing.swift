internal import HTTPTypes
internal import TillCore
internal import TillProvider

/// Braintree's transactions by its search, each read from the ledger itself. A transaction carries the name of our
/// attempt and so the payment; of the order it says nothing.
struct BraintreeChargeListing: ChargeListing {
    /// Transactions that one page reads.
    static let pageSize = 50
    /// Transactions that a search may find; more is no list that could be relied upon.
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
        // In an order of their own, so that a cursor holds whatever is found meanwhile.
        let rest = ids.filter { BraintreeTransaction.isUsable($0) }.sorted().drop { $0 <= cursor ?? "" }
        var found: [ListedCharge] = []
        for id in rest.prefix(BraintreeChargeListing.pageSize) {
            guard case .success(let transaction) = await provider.transaction(id),
                let reference = ProviderReference(ifValid: transaction.id)
            else { return .failed("Braintree's transaction \(id) cannot be read") }
            let step = transaction.orderID
            let payment = step.flatMap { PaymentID(ofStep: $0) }
            let mayHaveMoved: Bool =
                switch transaction.meaning {
                case .held, .taken, .undecided: true
                case .voided, .expired, .declined: false
                }
            found.append(
                ListedCharge(
                    transaction.type == "credit" ? .refund : .charge, reference, payment: payment,
                    attempt: payment == nil ? nil : step.map { AttemptID(rawValue: $0) }, mayHaveMoved: mayHaveMoved,
                    amount: transaction.amount, status: transaction.status))
        }
        return .listed(found, next: rest.count > found.count ? found.last?.reference.rawValue : nil)
    }
}
