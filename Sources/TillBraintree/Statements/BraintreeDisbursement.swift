internal import TillCore
internal import TillProvider

/// What Braintree says of one transaction that it has paid out, by its interface or in the export of its control panel:
/// both make the same lines.
///
/// Braintree gives no list of its payouts. Each transaction says when and as what it was paid out, so it makes two
/// lines: what the customer paid or got back, and that it went to the shop's bank. A part of an export is as good as
/// all of it.
struct BraintreeDisbursement {
    let transaction: String
    let isCredit: Bool
    /// As the customer saw it; not below zero.
    let amount: Money
    /// What was paid out for it, in the currency of the bank account; not below zero.
    let settled: Money
    let day: Timestamp
    let merchantAccount: String?
    /// Our own name for the attempt or the refund.
    let orderID: String?
    /// The sale that a refund is of.
    let refunded: String?
    let standing: Standing
    let raw: String

    enum Standing {
        case paidOut
        /// Kept back by Braintree.
        case held
        /// The bank has not taken it: it is paid out again.
        case failed
    }

    func lines() throws(StatementError) -> [StatementLine] {
        // In one currency what was paid out is held against the journal, and nothing else.
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

    /// A line without a fee: Braintree names none of a transaction's.
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
