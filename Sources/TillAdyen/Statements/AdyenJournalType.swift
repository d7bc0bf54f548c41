internal import TillStatements

/// The accounting meaning of Adyen's journal types, and the time zones used in its reports.
enum AdyenJournalType {
    static func kind(_ type: String) -> StatementLine.Kind { kinds[type] ?? .other }

    private static let kinds: [String: StatementLine.Kind] = [
        "Settled": .charge, "Refunded": .refund, "RefundedReversed": .refundFailure, "Chargeback": .dispute,
        "SecondChargeback": .dispute, "ChargebackReversed": .disputeReversal, "Fee": .fee, "MiscCosts": .fee,
        "InvoiceDeduction": .fee, "PaymentCost": .fee, "MerchantPayout": .payout, "Balancetransfer": .transfer,
        "DepositCorrection": .transfer,
    ]

    /// Returns `true` if the kind debits the shop's balance.
    static func isDebit(_ kind: StatementLine.Kind) -> Bool {
        switch kind {
        case .chargeFailure, .refund, .dispute, .fee, .payout: true
        case .charge, .refundFailure, .disputeReversal, .payoutFailure, .transfer, .exchange, .other: false
        }
    }

    /// Returns `true` if the gross amount is a customer's payment or refund.
    static func isOfPayment(_ kind: StatementLine.Kind) -> Bool {
        switch kind {
        case .charge, .chargeFailure, .refund, .refundFailure, .dispute, .disputeReversal: true
        case .fee, .payout, .payoutFailure, .transfer, .exchange, .other: false
        }
    }

    /// Returns the offset from UTC in hours; `nil` if unknown.
    static func hours(ofZone name: String) -> Int64? { zones[name] }

    private static let zones: [String: Int64] = [
        "UTC": 0, "GMT": 0, "WET": 0, "BST": 1, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3,
        "SGT": 8, "HKT": 8, "AWST": 8, "JST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "BRT": -3, "EST": -5,
        "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    ]
}
