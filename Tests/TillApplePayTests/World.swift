import TillApplePay
import TillCore
import TillStandInApple

/// One shop with the sandbox's Apple, at a fixed moment.
struct World {
    static let now = Timestamp(milliseconds: 1_795_000_000_000)
    static let merchant = "merchant.test.example"
    static let price = Money(minorUnits: 1234, currency: .gbp)

    let apple: SandboxAppleAuthority
    let maker: SandboxTokenMaker
    let key: ProcessingKey
    let trust: SignerTrust
    let ring: ProcessingKeyRing

    init(rsa: Bool = false) throws {
        apple = try SandboxAppleAuthority(issued: World.now)
        let identity = try apple.processingIdentity(merchant: World.merchant, rsa: rsa)
        maker = try SandboxTokenMaker(apple: apple, processingCertificate: identity.certificate)
        key = try ProcessingKey(
            certificate: Array(identity.certificate.utf8), key: Array(identity.key.reveal().utf8))
        trust = try SignerTrust(root: apple.rootCertificate)
        ring = ProcessingKeyRing([key])
    }

    var request: SandboxTokenRequest { SandboxTokenRequest(amount: World.price, signedAt: World.now) }

    func decide(
        _ token: JSONValue, at now: Timestamp = World.now, environment: WalletEnvironment = .production
    ) async throws(PaymentTokenError) -> DecryptedPaymentToken {
        try await decide(bytes: token.bytes(), at: now, environment: environment)
    }

    func decide(
        bytes: [UInt8], at now: Timestamp = World.now, environment: WalletEnvironment = .production,
        trust: SignerTrust? = nil
    ) async throws(PaymentTokenError) -> DecryptedPaymentToken {
        let unverified = try UnverifiedPaymentToken(parsing: bytes)
        let verifier = PaymentTokenVerifier(trust: trust ?? self.trust, environment: environment)
        return try await verifier.verify(unverified, at: now).decrypt(with: ring)
    }

    /// The step at which a token is refused; `nil` if it is not.
    func refusal(_ token: JSONValue, at now: Timestamp = World.now) async -> PaymentTokenStep? {
        do throws(PaymentTokenError) {
            _ = try await decide(token, at: now)
            return nil
        } catch {
            return error.step
        }
    }
}
