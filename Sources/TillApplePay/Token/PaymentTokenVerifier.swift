import Crypto
public import TillCore

/// Which of Apple's two worlds a token must come from.
public enum WalletEnvironment: String, Hashable, Sendable {
    /// Real cards. A token of the sandbox is refused.
    case production
    /// Apple's sandbox and Till's own.
    case sandbox
}

/// Decides whether a payment token was made by Apple, just now.
///
/// Everything that was signed is checked against the signature, and everything that was not is either checked against
/// what was or has only one possible value. Safe to use from any number of tasks; keeps no token.
public struct PaymentTokenVerifier: Sendable {
    /// Apple's figure: a token is refused when it was signed more than five minutes ago.
    public static let signingWindow: Span = .minutes(5)

    let trust: SignerTrust
    let environment: WalletEnvironment
    let window: Span

    /// A verifier with the roots that it trusts.
    /// - Parameters:
    ///   - trust: whose signature counts.
    ///   - environment: production refuses tokens of Apple's sandbox; the sandbox takes both.
    ///   - window: how far the time of signing may be from now, in either direction.
    public init(
        trust: SignerTrust, environment: WalletEnvironment = .production,
        window: Span = PaymentTokenVerifier.signingWindow
    ) {
        self.trust = trust
        self.environment = environment
        self.window = window
    }

    /// Checks a token's signature and the certificates behind it; opens nothing.
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

/// A token that Apple signed for this moment. Its payload is still encrypted.
public struct VerifiedPaymentToken: Sendable {
    let token: UnverifiedPaymentToken
    /// When Apple signed it.
    public let signingTime: Timestamp
    /// Apple's sandbox signed it.
    public let isSandbox: Bool

    init(token: UnverifiedPaymentToken, signingTime: Timestamp, isSandbox: Bool) {
        self.token = token
        self.signingTime = signingTime
        self.isSandbox = isSandbox
    }

    /// Whether it was encrypted for an EC or an RSA key.
    public var version: PaymentTokenVersion { token.version }
    /// Apple's identifier of the transaction, signed.
    public var transactionID: WalletTransactionID { token.transactionID }
    /// What the wallet says of the card beside the token, such as `Visa 1234`. Nobody signed it.
    public var claimedCardName: String? { token.claimedCardName }
    /// The card's network as the wallet names it beside the token. Nobody signed it.
    public var claimedNetwork: String? { token.claimedNetwork }
    /// SHA-256 of the request's application data, signed; `nil` if there was none.
    public var applicationDataHash: [UInt8]? { token.applicationDataHash }
}
