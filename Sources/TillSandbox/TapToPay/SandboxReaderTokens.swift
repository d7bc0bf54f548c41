import Crypto
import Foundation
public import TillCore
public import TillTapToPay

/// Issues reader tokens as a provider does, and verifies them as a reader does. ES256, valid for 48 hours.
///
/// The key is derived from a fixed word and public: no real system accepts these tokens.
public struct SandboxReaderTokens: Sendable {
    /// The issuer claim of the tokens.
    public let issuer: String
    /// The lifetime of a token.
    public let lifetime: Span
    private let clock: any TillClock

    public init(
        issuer: String = "till-sandbox", clock: any TillClock, lifetime: Span = TapToPayDeadlines().tokenLifetime
    ) {
        (self.issuer, self.clock, self.lifetime) = (issuer, clock, lifetime)
    }

    /// Issues a token for a merchant.
    public func issue(merchant: String) throws -> String {
        var claims = JSONWriter()
        claims.beginObject()
        claims.field("iss", issuer)
        claims.field("mid", merchant)
        claims.field("mbn", "Till sandbox")
        claims.field("mcc", "5999")
        claims.field("iat", clock.now().milliseconds / 1000)
        claims.field("exp", clock.now().adding(lifetime).milliseconds / 1000)
        claims.endObject()
        let head = SandboxReaderTokens.text(Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8))
        let body = "\(head).\(SandboxReaderTokens.text(claims.bytes))"
        let signature = try SandboxReaderTokens.key(issuer).signature(for: Array(body.utf8))
        return "\(body).\(SandboxReaderTokens.text(Array(signature.rawRepresentation)))"
    }

    /// Returns the merchant of a currently valid token.
    public func merchant(of token: PaymentCardReader.Token) throws(PaymentCardReaderError) -> String {
        guard !token.rawValue.isEmpty else { throw .emptyReaderToken }
        let parts = token.rawValue.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, token.rawValue.utf8.count <= ReaderTokenFacts.mostBytes,
            let body = SandboxReaderTokens.data(parts[1]), let signed = SandboxReaderTokens.data(parts[2]),
            let claims = JSONValue(ifValid: Array(body)), case .string(let issuer)? = claims["iss"],
            case .string(let merchant)? = claims["mid"], case .number(let end)? = claims["exp"],
            let expires = Int64(end)
        else { throw .invalidReaderToken("it is no token") }
        guard let key = try? SandboxReaderTokens.key(issuer).publicKey,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signed),
            key.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8))
        else { throw .invalidReaderToken("its signature is wrong") }
        guard clock.now().milliseconds / 1000 < expires else { throw .tokenExpired }
        return merchant
    }

    private static func key(_ issuer: String) throws -> P256.Signing.PrivateKey {
        let seed = SHA256.hash(data: Array("till reader token \(issuer)".utf8))
        return try P256.Signing.PrivateKey(rawRepresentation: Array(seed))
    }

    private static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    private static func data(_ text: String) -> Data? {
        var text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while !text.utf8.count.isMultiple(of: 4) { text += "=" }
        return Data(base64Encoded: text)
    }
}
