import Crypto
import Foundation
package import TillCore
import TillCounter

/// The symmetric secret of an endpoint, as Standard Webhooks 1.0.0 writes it: `whsec_` and base64.
package struct WebhookSecret: Sendable, CustomStringConvertible {
    private static let prefix = "whsec_"
    /// The lengths that Standard Webhooks allows, in bytes.
    private static let lengths = 24...64

    private let bytes: Secret<[UInt8]>

    private init(bytes: [UInt8]) { self.bytes = Secret(bytes) }

    /// Draws a secret.
    package static func random() -> WebhookSecret {
        var generator = SystemRandomNumberGenerator()
        return WebhookSecret(
            bytes: (0..<WebhookLimits.secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Parses the text form; `nil` for any other text.
    package init?(_ text: String) {
        guard text.hasPrefix(WebhookSecret.prefix), text.utf8.count <= 128,
            let data = Data(base64Encoded: String(text.dropFirst(WebhookSecret.prefix.count))),
            WebhookSecret.lengths.contains(data.count)
        else { return nil }
        self.init(bytes: Array(data))
    }

    /// The text form, shown once to the owner of the endpoint.
    package var text: Secret<String> {
        Secret(WebhookSecret.prefix + Data(bytes.reveal()).base64EncodedString())
    }

    package var description: String { "\(bytes)" }

    /// Returns the signature of a message: `v1,` and the base64 of HMAC-SHA-256 over `id.timestamp.body`.
    package func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(id).\(timestamp).".utf8) + Data(body), using: SymmetricKey(data: bytes.reveal()))
        return "v1," + Data(code).base64EncodedString()
    }

    /// Seals the secret for the journal with the pepper, which is a file beside it.
    func sealed(by pepper: Pepper, for owner: String) throws(StaffError) -> [UInt8] {
        try pepper.seal(bytes, for: owner)
    }

    /// Opens a sealed secret.
    init(_ sealed: [UInt8], by pepper: Pepper, for owner: String) throws(StaffError) {
        bytes = try pepper.open(sealed, for: owner)
    }
}
