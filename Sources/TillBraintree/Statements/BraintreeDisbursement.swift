internal import TillCore
internal import TillStatements

/// Braintree's data about one paid-out transaction, from its API or the export of its control panel: both produce the
/// same lines.
///
/// Braintree provides no list of its payouts. Each transaction states its payout day and amount, so it produces two
/// lines: the customer's payment or refund, and its transfer to the shop's bank. A partial export is as reliable as a
/// full one.
struct BraintreeDisbursement {
    let transaction: String
    let isCredit: Bool
    /// The amount in the customer's currency; not negative.
    let amount: Money
    /// The paid-out amount, in the currency of the bank account; not negative.
    let settled: Money
    let day: Timestamp
    let merchantAccount: String?
    /// Our own id of the attempt or the refund.
    let orderID: String?
    /// The sale of a refund.
    let refunded: String?
    let standing: Standing
    let raw: String

    enum Standing {
        case paidOut
        /// Held by Braintree.
        case held
        /// Rejected by the bank, to be paid out again.
        case failed
    }

    func lines() throws(StatementError) -> [StatementLine] {
        // In a single currency, only the paid-out amount is compared with the journal.
        let seen = isCredit ? try BraintreeDisbursement.negated(amount, transaction) : amount
        let facing = amount.currency == settled.currency ? nil : seen
        let gross = isCredit ? try BraintreeDisbursement.negated(settled, transaction) : settled
        var lines = [
            try BraintreeDisbursement.line(
                transaction, isCredit ? .refund : .charge, type: isCredit ? "credit" : "sale", gross, facing: facing,
                references: [transaction, refunded].compactMap { $0 }, orderID: orderID, at: day, raw: raw)
        ]
        if standing != .failed {
            let out = isCredit ? settled : try BraintreeDisbursement.negated(settled, transaction)
            lines.append(
                try BraintreeDisbursement.line(
                    "\(transaction)/disbursed", standing == .held ? .transfer : .payout,
                    type: standing == .held ? "funds_held" : "disbursement", out, facing: nil,
                    references: [transaction, merchantAccount].compactMap { $0 }, orderID: nil, at: day, raw: raw))
        }
        return lines
    }

    /// Returns a line without a fee: Braintree reports none per transaction.
    static func line(
        _ id: String, _ kind: StatementLine.Kind, type: String, _ gross: Money, facing: Money?, references: [String],
        orderID: String?, at moment: Timestamp, raw: String
    ) throws(StatementError) -> StatementLine {
        try StatementLine(
            id: id, kind: kind, type: type, references: references, payment: orderID.flatMap { PaymentID(ofStep: $0) },
            gross: gross, fee: .zero(gross.currency), net: gross, customerFacing: facing, createdAt: moment,
            payout: nil, raw: raw)
    }

    static func negated(_ money: Money, _ about: String) throws(StatementError) -> Money {
        do throws(MoneyError) { return try money.negated() } catch { throw StatementError("\(about): \(error)") }
    }
}
