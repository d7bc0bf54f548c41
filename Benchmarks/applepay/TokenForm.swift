import TillApplePay
import TillCore
import TillStandInApple

/// Tokens in each form in which a signature may be written, with who can open them.
struct TokenForm {
    let name: String
    let token: JSONValue
    private let verifier: PaymentTokenVerifier
    private let ring: ProcessingKeyRing
    private let now: Timestamp

    /// Every form of either version: lengths definite or not, parameters NULL or absent, algorithms protected or not,
    /// and the two names of RSA where both are allowed. The signers' chains are known after the first call.
    static func all(at now: Timestamp) throws -> [TokenForm] {
        let apple = try SandboxAppleAuthority(issued: now)
        let trust = try SignerTrust(root: apple.rootCertificate)
        var forms: [TokenForm] = []
        for version in [PaymentTokenVersion.ecV1, .rsaV1] {
            let identity = try apple.processingIdentity(merchant: "merchant.test.example", rsa: version == .rsaV1)
            let maker = try SandboxTokenMaker(apple: apple, processingCertificate: identity.certificate)
            let key = try ProcessingKey(
                certificate: Array(identity.certificate.utf8), key: Array(identity.key.reveal().utf8))
            for bits in 0..<16 {
                var maker = maker
                maker.usesIndefiniteLengths = bits & 1 == 0
                maker.writesNullParameters = bits & 2 == 0
                maker.protectsAlgorithms = bits & 4 == 0
                maker.namesRSAWithoutDigest = bits & 8 != 0
                if maker.namesRSAWithoutDigest, version == .ecV1 || !maker.protectsAlgorithms { continue }
                var request = SandboxTokenRequest(amount: Money(minorUnits: 1234, currency: .gbp), signedAt: now)
                request.version = version
                let words = [
                    version.rawValue, maker.usesIndefiniteLengths ? "indefinite" : "definite",
                    maker.writesNullParameters ? "NULL" : "absent",
                    maker.protectsAlgorithms ? "protected" : "not protected",
                    maker.namesRSAWithoutDigest ? "rsaEncryption" : "",
                ]
                forms.append(
                    TokenForm(
                        name: words.filter { !$0.isEmpty }.joined(separator: ", "),
                        token: try maker.paymentData(request), verifier: PaymentTokenVerifier(trust: trust),
                        ring: ProcessingKeyRing([key]), now: now))
            }
        }
        return forms
    }

    /// Verifies and opens a token that may or may not be this one.
    func open(_ bytes: [UInt8]) async throws(PaymentTokenError) {
        _ = try await verifier.verify(UnverifiedPaymentToken(parsing: bytes), at: now).decrypt(with: ring)
    }

    /// The token with another text in one of its members.
    func replacing(_ key: String, with text: String) -> [UInt8] {
        JSONValue.object(
            (token.objectValue ?? []).map { $0.key == key ? JSONMember(key: key, value: .string(text)) : $0 }
        ).bytes()
    }
}
