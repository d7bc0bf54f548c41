import Crypto
import Foundation
import TillCore

/// The signature of OAuth 1.0a with one leg (RFC 5849, 3.4), over the parameters as PHP sees them.
enum OAuthSignature {
    enum Method: String, Sendable {
        case sha1 = "HMAC-SHA1"
        case sha256 = "HMAC-SHA256"
    }

    /// Returns the text that is signed.
    /// - Parameters:
    ///   - address: scheme, authority and path, without a query.
    ///   - parameters: all parameters but the signature. Their names are sorted by byte; nested keys keep their order.
    static func baseString(method: String, address: String, parameters: PHPParameters) -> String {
        let sorted = parameters.entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let signed = sorted.flatMap { pairs(of: $0.value, named: PercentCoding.encode($0.name)) }
        let query = signed.joined(separator: "&")
        return [method.uppercased(), PercentCoding.encode(address), PercentCoding.encode(query)].joined(separator: "&")
    }

    /// Returns the signature in base64.
    /// - Parameter secret: the consumer's secret; the key is the secret and an ampersand.
    static func signature(of text: String, secret: String, method: Method) -> String {
        let key = SymmetricKey(data: Array((secret + "&").utf8))
        let data = Array(text.utf8)
        return switch method {
        case .sha1: Data(HMAC<Insecure.SHA1>.authenticationCode(for: data, using: key)).base64EncodedString()
        case .sha256: Data(HMAC<SHA256>.authenticationCode(for: data, using: key)).base64EncodedString()
        }
    }

    /// Returns `name=value` of a value and of everything nested in it, each part encoded once.
    private static func pairs(of value: PHPParameters.Value, named name: String) -> [String] {
        switch value {
        case .text(let text): [name + "=" + PercentCoding.encode(text)]
        case .list(let list):
            list.flatMap { pairs(of: $0.value, named: name + "%5B" + PercentCoding.encode($0.name) + "%5D") }
        }
    }
}
