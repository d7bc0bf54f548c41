internal import HTTPTypes
internal import TillCore

/// A call of Stripe's API. Its fields may hold card data, so its description is the method and path only.
struct StripeRequest: Sendable, CustomStringConvertible, CustomReflectable {
    let method: HTTPRequest.Method
    let path: String
    let fields: [(String, String)]
    /// The idempotency key of a POST; a GET has none.
    let key: IdempotencyKey?

    /// The API version that this module is written for.
    static let version = "2026-10-28.endive"
    static let formType = "application/x-www-form-urlencoded"

    var description: String { "\(method.rawValue) \(path)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }

    static func post(_ path: String, _ fields: [(String, String)] = [], key: IdempotencyKey) -> StripeRequest {
        StripeRequest(method: .post, path: path, fields: fields, key: key)
    }

    static func get(_ path: String, _ fields: [(String, String)] = []) -> StripeRequest {
        StripeRequest(method: .get, path: path, fields: fields, key: nil)
    }

    /// Returns header and body in wire format.
    func wire(scheme: String, authority: String, secretKey: Secret<String>) -> (HTTPRequest, [UInt8]) {
        let isPost = method == .post
        let query = isPost ? "" : FormEncoding.query(fields)
        var request = HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: query.isEmpty ? path : "\(path)?\(query)")
        var headers: [(String, String)] = [
            ("User-Agent", "Till/1 (payments in Swift)"),
            ("Accept", "*/*"),
            ("Authorization", "Bearer \(secretKey.reveal())"),
        ]
        if isPost {
            if let key { headers.append(("Idempotency-Key", key.rawValue)) }
            // Also without a body: Stripe's own library sends it on each POST.
            headers.append(("Content-Type", StripeRequest.formType))
        }
        headers.append(("Stripe-Version", StripeRequest.version))
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
        }
        return (request, isPost ? Array(FormEncoding.body(fields).utf8) : [])
    }
}

/// The paths of the API. Every path segment is escaped, so that no reference can address another resource.
enum StripePath {
    static let paymentMethods = "/v1/payment_methods"
    static let tokens = "/v1/tokens"
    static let paymentIntents = "/v1/payment_intents"
    static let refunds = "/v1/refunds"
    static let disputes = "/v1/disputes"
    static let balanceTransactions = "/v1/balance_transactions"

    static func paymentIntent(_ reference: ProviderReference, _ verb: String? = nil) -> String {
        "\(paymentIntents)/\(FormEncoding.quote(reference.rawValue))" + (verb.map { "/\($0)" } ?? "")
    }
}
