package import TillPayPalClient

/// The paths of PayPal's interface. Identifiers are checked types, so that none can name another path.
package enum PayPalPath {
    package static let orders = "/v2/checkout/orders"
    package static let setupTokens = "/v3/vault/setup-tokens"
    package static let paymentTokens = "/v3/vault/payment-tokens"

    package static func order(_ id: PayPalOrderID, _ verb: String? = nil) -> String {
        "\(orders)/\(id)" + (verb.map { "/\($0)" } ?? "")
    }
    /// An order with its payment source, whose part is the result of a challenge; not every answer has it unasked.
    package static func wholeOrder(_ id: PayPalOrderID) -> String { order(id) + "?fields=payment_source" }
    package static func authorization(_ id: PayPalAuthorizationID, _ verb: String? = nil) -> String {
        "/v2/payments/authorizations/\(id)" + (verb.map { "/\($0)" } ?? "")
    }
    package static func capture(_ id: PayPalCaptureID, _ verb: String? = nil) -> String {
        "/v2/payments/captures/\(id)" + (verb.map { "/\($0)" } ?? "")
    }
    /// All disputes about one capture, in one page.
    package static func disputes(of id: PayPalCaptureID) -> String {
        "\(disputes)?disputed_transaction_id=\(id)&page_size=\(mostDisputes)"
    }
    package static func dispute(_ id: String) -> String { "\(disputes)/\(id)" }
    private static let disputes = "/v1/customer/disputes"
    /// The largest page that PayPal gives.
    package static let mostDisputes = 50
    package static let transactions = "/v1/reporting/transactions"
    package static func refund(_ id: PayPalRefundID) -> String { "/v2/payments/refunds/\(id)" }
}
