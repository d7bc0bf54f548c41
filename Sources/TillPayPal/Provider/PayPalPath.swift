package import TillPayPalClient

/// The paths of PayPal's API. Identifiers are validated types, so that none can point to another path.
package enum PayPalPath {
    package static let orders = "/v2/checkout/orders"
    package static let setupTokens = "/v3/vault/setup-tokens"
    package static let paymentTokens = "/v3/vault/payment-tokens"

    package static func order(_ id: PayPalOrderID, _ verb: String? = nil) -> String {
        "\(orders)/\(id)" + (verb.map { "/\($0)" } ?? "")
    }
    /// Returns the path of an order with its payment source, which includes the challenge result; not every answer
    /// includes it by default.
    package static func wholeOrder(_ id: PayPalOrderID) -> String { order(id) + "?fields=payment_source" }
    package static func authorization(_ id: PayPalAuthorizationID, _ verb: String? = nil) -> String {
        "/v2/payments/authorizations/\(id)" + (verb.map { "/\($0)" } ?? "")
    }
    package static func capture(_ id: PayPalCaptureID, _ verb: String? = nil) -> String {
        "/v2/payments/captures/\(id)" + (verb.map { "/\($0)" } ?? "")
    }
    /// Returns the path of all disputes about one capture, in one page.
    package static func disputes(of id: PayPalCaptureID) -> String {
        "\(disputes)?disputed_transaction_id=\(id)&page_size=\(mostDisputes)"
    }
    package static func dispute(_ id: String) -> String { "\(disputes)/\(id)" }
    private static let disputes = "/v1/customer/disputes"
    /// PayPal's maximum page size.
    package static let mostDisputes = 50
    package static let transactions = "/v1/reporting/transactions"
    package static func refund(_ id: PayPalRefundID) -> String { "/v2/payments/refunds/\(id)" }
}
