internal import TillCore
internal import TillProvider

/// What PayPal's transaction event codes (T-codes) are to a ledger. The first two digits are the group; the
/// documentation calls them sufficient for reconciliation.
enum PayPalEventCode {
    /// - Parameter isCredit: the balance grows by it.
    /// - Returns: `nil` for what moves no money, such as an authorization.
    static func kind(_ code: String, isCredit: Bool) -> StatementLine.Kind? {
        if let kind = kinds[code] { return kind }
        return switch code.prefix(3) {
        // The shop's own payments to others are none of its customers'.
        case "T00": isCredit ? .charge : .other
        case "T01": .fee
        case "T02": .exchange
        case "T03", "T15", "T21": .transfer
        case "T04": .payout
        case "T13": nil
        default: .other
        }
    }

    private static let kinds: [String: StatementLine.Kind] = [
        // PayPal has taken a payment back, the shop has refunded one.
        "T1106": .chargeFailure, "T1107": .refund,
        // Fees that were returned.
        "T1108": .fee, "T1109": .fee,
        // Held for a dispute, and released: nothing is decided yet.
        "T1105": .transfer, "T1110": .transfer, "T1111": .transfer,
        "T1201": .dispute, "T1202": .disputeReversal,
    ]

    /// The name of a line in all of PayPal's reports: a transaction's name alone comes in several lines.
    static func lineID(_ transaction: String, _ code: String, _ time: Timestamp) -> String {
        "\(transaction)/\(code)/\(time.milliseconds / 1_000)"
    }
}
