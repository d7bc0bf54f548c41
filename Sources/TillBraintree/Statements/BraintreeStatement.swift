internal import TillCore
internal import TillStatements

/// The statement lines of a transaction or a dispute from Braintree's API.
enum BraintreeStatement {
    /// The maximum number of steps read from a dispute's history.
    static let maximumSteps = 100
    /// The maximum length of the text stored for display, in characters.
    static let maximumText = 1_000

    /// Returns two lines for a paid-out transaction; two that cancel each other for one that failed after submission,
    /// as in the journal; none for anything else.
    static func lines(ofTransaction node: XMLNode) throws(StatementError) -> [StatementLine] {
        guard let transaction = BraintreeTransaction(node) else {
            throw StatementError("a transaction of Braintree's cannot be read: \(node.value("id") ?? "without a name")")
        }
        if let paid = try disbursement(transaction, node) { return try paid.lines() }
        guard transaction.cameToNothing, let at = node.value("created-at").flatMap({ Timestamp(internetTime: $0) })
        else { return [] }
        let back = try BraintreeDisbursement.negated(transaction.amount, transaction.id)
        let isCredit = transaction.type == "credit"
        let ending: StatementLine.Kind =
            isCredit ? .refundFailure : transaction.isTakenBack ? .refund : .chargeFailure
        func line(_ id: String, _ kind: StatementLine.Kind, _ amount: Money) throws(StatementError) -> StatementLine {
            try BraintreeDisbursement.line(
                id, kind, type: transaction.status, amount, facing: amount,
                references: [transaction.id, transaction.refundedID].compactMap { $0 }, orderID: transaction.orderID,
                at: at, raw: text(node))
        }
        return [
            try line(transaction.id, isCredit ? .refund : .charge, isCredit ? back : transaction.amount),
            try line("\(transaction.id)/\(transaction.status)", ending, isCredit ? transaction.amount : back),
        ]
    }

    /// Returns the disbursement; `nil` if the transaction was not paid out.
    private static func disbursement(
        _ transaction: BraintreeTransaction, _ node: XMLNode
    ) throws(StatementError) -> BraintreeDisbursement? {
        guard let details = node["disbursement-details"], let text = details.value("disbursement-date") else {
            return nil
        }
        let about = "transaction \(transaction.id)"
        guard let day = BraintreeTransactionSearch.day(text) else {
            throw StatementError("\(about): “disbursement-date” is no day")
        }
        let fee = node.value("service-fee-amount")
            .flatMap { Money(ifValid: $0, currency: transaction.amount.currency) }
        if let fee, !fee.isZero {
            throw StatementError("\(about): what a marketplace keeps is not read")
        }
        guard let code = details.value("settlement-currency-iso-code"), let currency = Currency(ifValid: code),
            let settled = details.value("settlement-amount").flatMap({ Money(ifValid: $0, currency: currency) }),
            !settled.isNegative
        else { throw StatementError("\(about): what was paid out for it cannot be read") }
        guard transaction.type == "sale" || transaction.type == "credit" else {
            throw StatementError("\(about): it is neither a sale nor a credit")
        }
        let standing: BraintreeDisbursement.Standing =
            details.value("funds-held") == "true" ? .held : details.value("success") == "false" ? .failed : .paidOut
        return BraintreeDisbursement(
            transaction: transaction.id, isCredit: transaction.type == "credit", amount: transaction.amount,
            settled: settled, day: day, merchantAccount: node.value("merchant-account-id"),
            orderID: transaction.orderID, refunded: transaction.refundedID, standing: standing, raw: self.text(node))
    }

    /// Returns the lines of a dispute's withdrawals from the shop's bank account and returns to it: the history steps
    /// with a disbursement day.
    static func lines(ofDispute node: XMLNode) throws(StatementError) -> [StatementLine] {
        guard let dispute = BraintreeDispute(node)?.dispute else {
            throw StatementError("a dispute of Braintree's cannot be read: \(node.value("id") ?? "without a name")")
        }
        let id = dispute.facts.reference.rawValue
        let amount = dispute.facts.amount
        let won = BraintreeDispute.won(node, of: amount)
        var lines: [StatementLine] = []
        var isOut = false
        for step in try steps(of: node, id) {
            // The amount is withdrawn once, whatever follows, and returned once the dispute is won.
            let isWon = step.status == "won"
            guard isWon == isOut, !isWon || won.isPositive else { continue }
            isOut = !isWon
            let moved = isWon ? won : try BraintreeDisbursement.negated(amount, id)
            let references = [id, node["transaction"]?.value("id")].compactMap { $0 }
            let order = node["transaction"]?.value("order-id")
            lines.append(
                try BraintreeDisbursement.line(
                    "\(id)/\(step.status)", isWon ? .disputeReversal : .dispute, type: "dispute \(step.status)", moved,
                    facing: moved, references: references, orderID: order, at: step.day, raw: text(node)))
            lines.append(
                try BraintreeDisbursement.line(
                    "\(id)/\(step.status)/disbursed", .payout, type: "disbursement",
                    try BraintreeDisbursement.negated(moved, id), facing: nil, references: references, orderID: nil,
                    at: step.day, raw: text(node)))
        }
        return lines
    }

    private typealias Step = (day: Timestamp, at: String, status: String)

    /// Returns the steps that moved money, in order.
    private static func steps(of dispute: XMLNode, _ id: String) throws(StatementError) -> [Step] {
        let history = dispute["status-history"]?.children ?? []
        guard history.count <= maximumSteps else { throw StatementError("dispute \(id): its history is too long") }
        var steps: [Step] = []
        for step in history {
            guard let text = step.value("disbursement-date") else { continue }
            guard let day = BraintreeTransactionSearch.day(text), let status = step.value("status"),
                (1...64).contains(status.utf8.count)
            else { throw StatementError("dispute \(id): its history cannot be read") }
            steps.append((day, step.value("timestamp") ?? "", status))
        }
        return steps.sorted { ($0.day, $0.at) < ($1.day, $1.at) }
    }

    /// Returns the plain-text fields, for display.
    private static func text(_ node: XMLNode) -> String {
        let parts = node.children.filter { $0.children.isEmpty && !$0.text.isEmpty }.map { "\($0.name)=\($0.text)" }
        return String(parts.joined(separator: "; ").prefix(maximumText))
    }
}
