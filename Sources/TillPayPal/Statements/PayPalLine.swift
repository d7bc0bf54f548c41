internal import TillCore
internal import TillStatements

/// A line of any PayPal report.
enum PayPalLine {
    /// - Parameters:
    ///   - reference: the PayPal id of the object concerned: for a refund, its capture.
    ///   - names: the ids that Till attached, which may identify the payment.
    static func make(
        transaction: String, code: String, kind: StatementLine.Kind, time: Timestamp, gross: Money, fee: Money,
        reference: String?, names: [String?], raw: String
    ) throws(StatementError) -> StatementLine {
        let net: Money
        do throws(MoneyError) { net = try gross.subtracting(fee) } catch { throw StatementError("\(error)") }
        return try StatementLine(
            id: PayPalEventCode.lineID(transaction, code, time), kind: kind, type: code,
            references: [transaction, reference].compactMap { $0 },
            payment: names.lazy.compactMap { $0.flatMap { PayPalWebhookEvent.payment($0) } }.first, gross: gross,
            fee: fee, net: net, customerFacing: nil, createdAt: time, payout: nil, raw: raw)
    }
}
