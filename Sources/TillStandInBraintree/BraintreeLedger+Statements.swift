import TillCore
import TillSandbox

/// Searches, payouts and the settlement batch summary, implemented from Braintree's reference.
extension BraintreeLedger {
    /// The maximum number of results of a Braintree search.
    static let maximumFound = 50_000
    /// The number of transactions or disputes on a page.
    static let pageSize = 50

    /// Handles `POST /_sandbox/statements`; see ``BraintreeReporting``.
    func playStatement(_ json: JSONValue) -> Bool {
        let today = String(clock.now().internetTime.prefix(10))
        switch json["do"]?.stringValue {
        case "disburse":
            let day = json["date"]?.stringValue ?? today
            guard Timestamp(internetTime: "\(day)T00:00:00Z") != nil else { return false }
            for (id, found) in transactions where found.status == "settled" && found.payout == nil {
                transactions[id]?.payout = reporting.payout(of: found.amount, on: day)
            }
        case "foreign":
            guard let units = BraintreeReporting.amount(json), units > 0,
                let currency = Currency(ifValid: json["currency"]?.stringValue ?? "EUR"),
                let account = BraintreeLedger.accounts.first(where: { $0.value == currency })?.key
            else { return false }
            let now = clock.now()
            let amount = Money(minorUnits: units, currency: currency)
            let made = Transaction(
                id: newID(), type: "sale", status: "settled", amount: amount, orderID: "elsewhere", code: "1000",
                nonce: Nonce(number: "4111111111111111", expiry: "12/2030"), created: now, updated: now, held: amount,
                account: account, settled: now, payout: reporting.payout(of: amount, on: today),
                history: ["submitted_for_settlement", "settled"])
            transactions[made.id] = made
            sequence.append(made.id)
        default: return reporting.play(json)
        }
        return true
    }

    // MARK: Transactions

    func search(_ node: BraintreeElement) -> Answer {
        if node["disbursement_date"] != nil, let status = reporting.refusal() { return (status, node) }
        return (
            200,
            BraintreeElement(
                "search-results",
                of: [
                    BraintreeElement("page-size", String(BraintreeLedger.pageSize), type: "integer"),
                    BraintreeElement(
                        "ids", type: "array",
                        of: found(node).suffix(BraintreeLedger.maximumFound).map { BraintreeElement("item", $0) }),
                ])
        )
    }

    /// Returns the transactions for identifiers found by a search.
    func read(_ node: BraintreeElement) -> Answer {
        if let status = reporting.refusal() { return (status, node) }
        let shown = found(node).filter { !reporting.lost.contains($0) }.prefix(BraintreeLedger.pageSize)
        let transactions = shown.compactMap { self.transactions[$0] }
        return (200, page("credit-card-transactions", transactions.map(render), of: transactions.count))
    }

    private func found(_ node: BraintreeElement) -> [String] {
        func values(_ name: String) -> Set<String>? { node[name].map { Set($0.children.map(\.text)) } }
        let (ids, states) = (values("ids"), values("status"))
        let (order, batch) = (node["order_id"]?.value("is"), node["settlement_batch_id"]?.value("is"))
        return sequence.filter { id in
            guard let found = transactions[id] else { return false }
            return (ids?.contains(id) ?? true) && (states?.contains(found.status) ?? true)
                && (order == nil || found.orderID == order) && (batch == nil || found.batch == batch)
                && contains(node["created_at"], found.created.internetTime)
                && (node["disbursement_date"] == nil || !reporting.omitted.contains(id))
                && contains(node["disbursement_date"], found.payout?.day)
        }
    }

    /// Returns `true` if a day or timestamp lies in a range, both ends included.
    private func contains(_ range: BraintreeElement?, _ moment: String?) -> Bool {
        guard let range else { return true }
        guard let moment else { return false }
        let least = range.value("min") ?? "0"
        let most = range.value("max") ?? "9"
        return moment >= String(least.prefix(moment.utf8.count)) && moment <= String(most.prefix(moment.utf8.count))
    }

    private func page(_ name: String, _ elements: [BraintreeElement], _ number: Int = 1, of total: Int)
        -> BraintreeElement
    {
        BraintreeElement(
            name, type: "collection",
            of: [
                BraintreeElement("current-page-number", String(number), type: "integer"),
                BraintreeElement("page-size", String(BraintreeLedger.pageSize), type: "integer"),
                BraintreeElement("total-items", String(total), type: "integer"),
            ] + elements)
    }

    /// Returns the disbursement details of a transaction.
    func disbursement(of transaction: Transaction) -> BraintreeElement {
        guard let payout = transaction.payout else {
            return BraintreeElement("disbursement-details", of: [BraintreeElement("disbursement-date", "")])
        }
        let isHeld = reporting.held.contains(transaction.id)
        return BraintreeElement(
            "disbursement-details",
            of: [
                BraintreeElement("disbursement-date", payout.day, type: "date"),
                BraintreeElement("settlement-amount", reporting.shown(payout, of: transaction.id).decimalString),
                BraintreeElement("settlement-currency-iso-code", payout.amount.currency.code),
                BraintreeElement("settlement-currency-exchange-rate", payout.rate),
                BraintreeElement("funds-held", isHeld ? "true" : "false", type: "boolean"),
                BraintreeElement("success", isHeld ? "false" : "true", type: "boolean"),
            ])
    }

    // MARK: Disputes

    /// Returns a page of the disputes that moved money in a period.
    func disputes(_ node: BraintreeElement, page number: Int) -> Answer {
        if let status = reporting.refusal() { return (status, node) }
        let found = sequence.compactMap { transactions[$0] }.flatMap { sale in
            sale.disputes.filter { dispute in
                node["disbursement_date"] == nil
                    || dispute.steps.contains { $0.day != nil && contains(node["disbursement_date"], $0.day) }
            }.map { render($0, of: sale) }
        }
        let start = min(found.count, (number - 1) * BraintreeLedger.pageSize)
        let shown = found[start...].prefix(BraintreeLedger.pageSize)
        return (200, page("disputes", Array(shown), number, of: found.count))
    }

    /// Returns a dispute's status history, each step with the day on which it moved money, if it did.
    func steps(of dispute: Dispute) -> BraintreeElement {
        BraintreeElement(
            "status-history", type: "array",
            of: dispute.steps.map { step in
                BraintreeElement(
                    "status-history",
                    of: [
                        BraintreeElement("status", step.status),
                        BraintreeElement("timestamp", step.at.internetTime, type: "datetime"),
                        BraintreeElement("effective-date", String(step.at.internetTime.prefix(10)), type: "date"),
                    ] + (step.day.map { [BraintreeElement("disbursement-date", $0, type: "date")] } ?? []))
            })
    }

    // MARK: Batches

    /// Returns the totals of a day's settlement by kind, card type and merchant account.
    func summary(_ node: BraintreeElement) -> Answer {
        struct Key: Hashable, Comparable {
            var account: String
            var kind: String
            var card: String
            static func < (left: Key, right: Key) -> Bool {
                (left.account, left.kind, left.card) < (right.account, right.kind, right.card)
            }
        }
        guard let day = node.value("settlement_date").map({ String($0.prefix(10)) }),
            Timestamp(internetTime: "\(day)T00:00:00Z") != nil
        else {
            return refused("settlement_batch_summary", "settlement_date", "82302", "Settlement date is invalid.")
        }
        var totals: [Key: (count: Int, amount: Money)] = [:]
        for found in transactions.values where found.settled?.internetTime.prefix(10) == Substring(day) {
            let key = Key(account: found.account, kind: found.type, card: BraintreeLedger.card(of: found))
            let before = totals[key] ?? (0, .zero(found.amount.currency))
            let sum = Money(
                minorUnits: before.amount.minorUnits + found.amount.minorUnits, currency: found.amount.currency)
            totals[key] = (before.count + 1, sum)
        }
        let records = totals.sorted { $0.key < $1.key }
            .map { key, total in
                BraintreeElement(
                    "record",
                    of: [
                        BraintreeElement("kind", key.kind), BraintreeElement("card-type", key.card),
                        BraintreeElement("merchant-account-id", key.account),
                        BraintreeElement("count", String(total.count)),
                        BraintreeElement("amount-settled", total.amount.decimalString),
                    ])
            }
        let list = BraintreeElement("records", type: "array", of: records)
        return (200, BraintreeElement("settlement-batch-summary", of: [list]))
    }
}
