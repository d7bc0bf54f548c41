package import HTTPTypes
package import TillCore

/// One call of PayPal's API. Its body may contain card data, so it prints as method and path only.
package struct PayPalCall: Sendable, CustomStringConvertible, CustomReflectable {
    /// Maximum length of a `PayPal-Request-Id` accepted by PayPal, in bytes.
    package static let maximumKeyBytes = 108

    package let method: HTTPRequest.Method
    package let path: String
    package let body: [UInt8]
    package let contentType: String?
    /// The idempotency key, required on each mutating call so that nothing is executed twice.
    package let key: IdempotencyKey?
    /// `true` to request the complete resource in the answer.
    package let wantsRepresentation: Bool
    /// Header fields of this call only.
    package let fields: [(String, String)]
    /// The values in the body that must never be echoed in any text.
    package let secrets: [Secret<String>]

    package var description: String { "\(method.rawValue) \(path)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    package init(
        _ method: HTTPRequest.Method, _ path: String, body: [UInt8] = [], contentType: String? = nil,
        key: IdempotencyKey? = nil, wantsRepresentation: Bool = false, fields: [(String, String)] = [],
        secrets: [Secret<String>] = []
    ) {
        self.fields = fields
        self.method = method
        self.path = path
        self.body = body
        self.contentType = contentType
        self.key = key
        self.wantsRepresentation = wantsRepresentation
        self.secrets = secrets
    }

    /// Creates a mutating call.
    package static func post(
        _ path: String, _ body: JSONValue? = nil, key: IdempotencyKey?, secrets: [Secret<String>] = []
    ) -> PayPalCall {
        PayPalCall(
            .post, path, body: body?.bytes() ?? [], contentType: "application/json", key: key,
            wantsRepresentation: true, secrets: secrets)
    }

    /// Creates a read-only call.
    package static func get(_ path: String) -> PayPalCall { PayPalCall(.get, path) }

    /// Returns the request with URL and credentials.
    package func request(to environment: PayPalEnvironment, authorization: Secret<String>) -> HTTPRequest {
        var request = HTTPRequest(
            method: method, scheme: environment.scheme, authority: environment.authority, path: path)
        var fields: [(String, String)] = [
            ("User-Agent", "Till/1 (payments in Swift)"), ("Accept", "application/json"),
            ("Authorization", authorization.reveal()),
        ]
        if let contentType { fields.append(("Content-Type", contentType)) }
        if let key { fields.append(("PayPal-Request-Id", key.rawValue)) }
        if wantsRepresentation { fields.append(("Prefer", "return=representation")) }
        for (name, value) in fields + self.fields {
            if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
        }
        return request
    }
}
