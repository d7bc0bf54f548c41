import Crypto
public import TillCore

/// The Apple Pay environment that a token must come from.
public enum WalletEnvironment: String, Hashable, Sendable {
    /// Real cards. Sandbox tokens are rejected.
    case production
    /// Apple's sandbox and Till's own.
    case sandbox
}

/// Verifies that a payment token was signed by Apple, just now.
///
/// ```swift
/// let verifier = try PaymentTokenVerifier(trust: .apple())
/// let verified = try await verifier.verify(UnverifiedPaymentToken(parsing: bytes), at: SystemClock().now())
/// let opened = try verified.decrypt(with: keys)
/// let expected = PaymentTokenExpectation(
///     amount: Money(minorUnits: 4200, currency: .gbp), merchant: MerchantIDHash(of: "merchant.com.example"),
///     applicationData: nil, order: "1001")
/// let accepted = try await opened.accept(for: expected, replay: used)
/// print(accepted.payload.accountLastFour, accepted.payload.amount)
/// ```
///
/// All signed data are verified against the signature; unsigned data are either verified against signed data or have
/// only one possible value. Safe to use from any number of tasks; keeps no token.
public struct PaymentTokenVerifier: Sendable {
    /// Apple's limit: a token is rejected if it was signed more than five minutes ago.
    public static let signingWindow: Span = .minutes(5)

    let trust: SignerTrust
    let environment: WalletEnvironment
    let window: Span

    /// Creates a verifier.
    /// - Parameters:
    ///   - trust: the trusted signers.
    ///   - environment: production rejects sandbox tokens; the sandbox accepts both.
    ///   - window: the tolerated distance of the signing time from now, in either direction.
    public init(
        trust: SignerTrust, environment: WalletEnvironment = .production,
        window: Span = PaymentTokenVerifier.signingWindow
    ) {
        self.trust = trust
        self.environment = environment
        self.window = window
    }

    /// Verifies a token's signature and certificate chain; decrypts nothing.
    /// - Parameter now: the time at which certificates must be valid and the signature fresh.
    /// - Throws: ``PaymentTokenError`` with the first step that failed.
    public func verify(
        _ token: UnverifiedPaymentToken, at now: Timestamp
    ) async throws(PaymentTokenError) -> VerifiedPaymentToken {
        let signature = try TokenSignature(parsing: token.signature)
        let signer = try await trust.signer(of: signature)
        try signer.checkDates(at: now)
        guard environment == .sandbox || !signer.isSandbox else {
            throw PaymentTokenError(
                .signer, "sandbox_signer", "Apple's sandbox signed this token: no money stands behind it.",
                next: "Use the sandbox's settings for test cards, and a real card in production.")
        }
        let digest = SHA256.hash(data: token.signedBytes)
        guard equalInConstantTime(Array(digest), signature.attributes.messageDigest) else {
            throw PaymentTokenError(.digest, "digest", "The token is not the one that was signed.")
        }
        try signer.checkSignature(signature, version: token.version)
        let signed = signature.attributes.signingTime
        guard now.since(signed) <= window else {
            throw PaymentTokenError(
                .signingTime, "too_old", "The token was signed \(signed), too long before \(now).")
        }
        guard signed.since(now) <= window else {
            throw PaymentTokenError(
                .signingTime, "from_the_future", "The token was signed \(signed), too long after \(now).")
        }
        return VerifiedPaymentToken(token: token, signingTime: signed, isSandbox: signer.isSandbox)
    }
}

/// A verified token, signed by Apple within the window. Its payload is still encrypted.
public struct VerifiedPaymentToken: Sendable {
    let token: UnverifiedPaymentToken
    /// Time of Apple's signature.
    public let signingTime: Timestamp
    /// `true` if Apple's sandbox signed it.
    public let isSandbox: Bool

    init(token: UnverifiedPaymentToken, signingTime: Timestamp, isSandbox: Bool) {
        self.token = token
        self.signingTime = signingTime
        self.isSandbox = isSandbox
    }

    /// The token version, for an EC or an RSA key.
    public var version: PaymentTokenVersion { token.version }
    /// Apple's transaction identifier, signed.
    public var transactionID: WalletTransactionID { token.transactionID }
    /// The wallet's card description beside the token, such as `Visa 1234`. Unsigned.
    public var claimedCardName: String? { token.claimedCardName }
    /// The wallet's name for the card network, beside the token. Unsigned.
    public var claimedNetwork: String? { token.claimedNetwork }
    /// SHA-256 of the request's application data, signed; `nil` if there was none.
    public var applicationDataHash: [UInt8]? { token.applicationDataHash }
}
