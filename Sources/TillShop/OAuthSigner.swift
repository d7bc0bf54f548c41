import Crypto
import Foundation
import TillCore

/// Signs requests to a shop without TLS: OAuth 1.0a with one leg, HMAC-SHA256 (RFC 5849, 3.4).
///
/// The body is not signed. The shop refuses a timestamp that is 15 minutes off, and a nonce that it has seen.
struct OAuthSigner {
    let key: ShopKey

    /// Returns the query with the parameters of the signature.
    /// - Parameters:
    ///   - address: scheme, authority and path, without a query.
    ///   - query: the request's own parameters, each name once and without brackets.
    func signed(
        method: String, address: String, query: [(name: String, value: String)], at now: Timestamp, nonce: String
    ) -> [(name: String, value: String)] {
        let all =
            query + [
                ("oauth_consumer_key", key.key), ("oauth_nonce", nonce), ("oauth_signature_method", "HMAC-SHA256"),
                ("oauth_timestamp", String(now.milliseconds / 1000)), ("oauth_version", "1.0"),
            ]
        let sorted = all.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let base = [method, address, PercentEncoding.query(sorted)].map { PercentEncoding.encode($0) }
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(base.joined(separator: "&").utf8),
            using: SymmetricKey(data: Data((key.secret.reveal() + "&").utf8)))
        return all + [("oauth_signature", Data(code).base64EncodedString())]
    }

    /// Draws a nonce of 128 bits.
    static func nonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.lowercase((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
