internal import TillCore
internal import TillStatements

/// The mapping of Stripe's reporting categories and types to ledger line kinds ("Reporting categories", Stripe's
/// documentation).
enum StripeLineKind {
    static func kind(category: String?, type: String?) -> StatementLine.Kind {
        if let category, let kind = categories[category] { return kind }
        if let type, let kind = types[type] { return kind }
        return .other
    }

    private static let categories: [String: StatementLine.Kind] = [
        "charge": .charge, "charge_failure": .chargeFailure, "refund": .refund, "refund_failure": .refundFailure,
        "dispute": .dispute, "dispute_reversal": .disputeReversal, "fee": .fee, "network_cost": .fee, "tax": .fee,
        "payout": .payout, "payout_reversal": .payoutFailure,
        // The shop's own funds, transferred from its bank or kept in the balance.
        "topup": .transfer, "topup_reversal": .transfer, "payout_minimum_balance_hold": .transfer,
        "payout_minimum_balance_release": .transfer,
    ]

    private static let types: [String: StatementLine.Kind] = [
        "charge": .charge, "payment": .charge, "payment_failure_refund": .chargeFailure, "refund": .refund,
        "payment_refund": .refund, "refund_failure": .refundFailure, "stripe_fee": .fee, "stripe_fx_fee": .fee,
        "tax_fee": .fee, "payout": .payout, "payout_cancel": .payoutFailure, "payout_failure": .payoutFailure,
        "topup": .transfer, "topup_reversal": .transfer, "payout_minimum_balance_hold": .transfer,
        "payout_minimum_balance_release": .transfer,
    ]

    /// Returns our payment id from the metadata; `nil` if it is not a valid one.
    static func payment(_ text: String?) -> PaymentID? {
        guard let text else { return nil }
        do throws(IdentifierError) { return try PaymentID(validating: text) } catch { return nil }
    }

    /// Returns the line's id. A payout's line uses the payout's id, so that it is the same line in all of Stripe's
    /// reports.
    static func lineID(_ kind: StatementLine.Kind, transaction: String, source: String?) -> String {
        switch kind {
        case .payout: "payout:\(source ?? transaction)"
        case .payoutFailure: "payout-failure:\(source ?? transaction)"
        case .charge, .chargeFailure, .refund, .refundFailure, .dispute, .disputeReversal, .fee, .transfer, .exchange,
            .other:
            transaction
        }
    }
}
