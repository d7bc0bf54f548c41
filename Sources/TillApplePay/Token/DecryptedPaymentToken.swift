import Crypto
import CryptoExtras
public import TillCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A decrypted token. It contains a card number and a cryptogram: it prints masked, is not stored, and must not be
/// logged. Code that handles it is in scope of PCI DSS.
public struct DecryptedPaymentToken: Sendable {
    /// Apple's transaction identifier.
    public let transactionID: WalletTransactionID
    /// Time of Apple's signature.
    public let signingTime: Timestamp
    /// The merchant of the key that decrypted it.
    public let merchant: MerchantIDHash
    /// SHA-256 of the request's application data; `nil` if there was none.
    public let applicationDataHash: [UInt8]?
    /// `true` if Apple's sandbox signed it.
    public let isSandbox: Bool
    /// The wallet's card description beside the token, such as `Visa 1234`. Unsigned.
    public let claimedCardName: String?
    /// Card, amount and cryptogram.
    public let payload: PaymentTokenPayload
}

extension VerifiedPaymentToken {
    /// Decrypts the token with the key that it names.
    ///
    /// For EC_v1: ECDH on P-256, the single-step key derivation of NIST SP 800-56A with SHA-256 (counter, secret, party
    /// information), AES-256-GCM. For RSA_v1: RSA-OAEP with SHA-256, AES-128-GCM. The nonce is 16 zero bytes: each key
    /// is used once.
    /// - Throws: ``PaymentTokenError`` at ``PaymentTokenStep/key``, ``PaymentTokenStep/decryption`` (one error for
    ///   every cause, to avoid an oracle) or ``PaymentTokenStep/payload``.
    public func decrypt(with ring: ProcessingKeyRing) throws(PaymentTokenError) -> DecryptedPaymentToken {
        guard let key = ring.key(publicKeyHash: token.publicKeyHash) else {
            throw PaymentTokenError(
                .key, "unknown_key", "The token was made for a processing key that is not in the key ring.")
        }
        guard let secret = secret(for: key), let plaintext = open(with: secret) else {
            throw PaymentTokenError(.decryption, "decryption", "The token's payload cannot be decrypted.")
        }
        return DecryptedPaymentToken(
            transactionID: transactionID, signingTime: signingTime, merchant: key.merchant,
            applicationDataHash: applicationDataHash, isSandbox: isSandbox, claimedCardName: token.claimedCardName,
            payload: try PaymentTokenPayload(parsing: plaintext))
    }

    private func secret(for key: ProcessingKey) -> SymmetricKey? {
        switch (key.key, token.keyTransport) {
        case (.p256(let own), .ephemeralPublicKey(let bytes)):
            let shared: SharedSecret
            do {
                shared = try own.sharedSecretFromKeyAgreement(
                    with: try P256.KeyAgreement.PublicKey(derRepresentation: bytes))
            } catch { return nil }
            var hash = SHA256()
            hash.update(data: [0, 0, 0, 1] as [UInt8])
            // All 32 bytes of the shared secret, including leading zeros.
            shared.withUnsafeBytes { hash.update(bufferPointer: $0) }
            hash.update(data: VerifiedPaymentToken.algorithmAndParty)
            hash.update(data: key.merchant.bytes)
            return SymmetricKey(data: hash.finalize())
        case (.rsa(let own), .wrappedKey(let bytes)):
            guard let decrypting = try? _RSA.Encryption.PrivateKey(derRepresentation: own.derRepresentation),
                let unwrapped = try? decrypting.decrypt(bytes, padding: .PKCS1_OAEP_SHA256), unwrapped.count == 16
            else { return nil }
            return SymmetricKey(data: unwrapped)
        default:
            return nil
        }
    }

    /// The length-prefixed algorithm and the sender, as key derivation input.
    private static let algorithmAndParty: [UInt8] = [13] + Array("id-aes256-GCMApple".utf8)

    private func open(with key: SymmetricKey) -> Data? {
        let tagStart = token.data.count - 16
        guard tagStart > 0 else { return nil }
        do {
            let box = try AES.GCM.SealedBox(
                nonce: try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16)),
                ciphertext: token.data[..<tagStart], tag: token.data[tagStart...])
            return try AES.GCM.open(box, using: key)
        } catch { return nil }
    }
}
