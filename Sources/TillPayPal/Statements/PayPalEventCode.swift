internal import TillCore
internal import TillStatements

/// The accounting meaning of PayPal's transaction event codes (T-codes). The first two digits are the group; PayPal's
/// documentation describes them as sufficient for reconciliation.
enum PayPalEventCode {
    /// Returns the kind of a statement line.
    /// - Parameter isCredit: `true` if the transaction increases the balance.
    /// - Returns: `nil` for codes that move no money, such as an authorization.
    static func kind(_ code: String, isCredit: Bool) -> StatementLine.Kind? {
        if let kind = kinds[code] { return kind }
        return switch code.prefix(3) {
        // The shop's own payments to others do not come from its customers.
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
        // A payment reversed by PayPal, and a refund by the shop.
        "T1106": .chargeFailure, "T1107": .refund,
        // Returned fees.
        "T1108": .fee, "T1109": .fee,
        // Held for a dispute and released: not decided yet.
        "T1105": .transfer, "T1110": .transfer, "T1111": .transfer,
        "T1201": .dispute, "T1202": .disputeReversal,
    ]

    /// Returns the id of a line, the same in all of PayPal's reports: a transaction id alone occurs in several lines.
    static func lineID(_ transaction: String, _ code: String, _ time: Timestamp) -> String {
        "\(transaction)/\(code)/\(time.milliseconds / 1_000)"
    }
}
