import Crypto
import CryptoExtras
import SwiftASN1
import TillCore
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A signer with a verified chain to the root. Only its dates remain to be checked, on every use.
struct ValidatedSigner: Sendable {
    enum Key: Sendable {
        case p256(P256.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    let key: Key
    /// The latest start of validity in the chain.
    let validFrom: Timestamp
    /// The earliest end of validity in the chain.
    let validUntil: Timestamp
    /// `true` if Apple's sandbox signed: the token represents no money.
    let isSandbox: Bool

    init(chain: some Collection<Certificate>) throws(PaymentTokenError) {
        guard let leaf = chain.first else { throw PaymentTokenError(.chain, "chain", "The chain is empty.") }
        if let key = P256.Signing.PublicKey(leaf.publicKey) {
            self.key = .p256(key)
        } else if let key = _RSA.Signing.PublicKey(leaf.publicKey), key.keySizeInBits >= 2048 {
            self.key = .rsa(key)
        } else {
            throw PaymentTokenError(
                .signer, "signer_key", "The signer's key is neither on P-256 nor RSA of 2,048 bits or more.")
        }
        validFrom = chain.map { Timestamp($0.notValidBefore) }.max() ?? Timestamp(milliseconds: .max)
        validUntil = chain.map { Timestamp($0.notValidAfter) }.min() ?? Timestamp(milliseconds: .min)
        isSandbox = leaf.subject.firstText(ASN1Names.commonName)?.uppercased().contains("SANDBOX") ?? false
    }

    func checkDates(at now: Timestamp) throws(PaymentTokenError) {
        guard validFrom <= now else {
            throw PaymentTokenError(
                .chain, "not_yet_valid", "The signer's chain is valid from \(validFrom), and it is \(now).")
        }
        guard now <= validUntil else {
            throw PaymentTokenError(.chain, "expired", "The signer's chain expired \(validUntil), and it is \(now).")
        }
    }

    /// Verifies the signature over the signed attributes.
    func checkSignature(
        _ signature: TokenSignature, version: PaymentTokenVersion
    ) throws(PaymentTokenError) {
        let isValid: Bool
        switch (key, signature.algorithm, version) {
        case (.p256(let key), .ecdsaWithSHA256, .ecV1):
            guard let value = try? P256.Signing.ECDSASignature(derRepresentation: signature.value) else {
                throw PaymentTokenError(.signature, "encoding", "The signature's value cannot be read.")
            }
            isValid = key.isValidSignature(value, for: SHA256.hash(data: signature.signedAttributes))
        case (.rsa(let key), .rsaWithSHA256, .rsaV1):
            isValid = key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature.value),
                for: SHA256.hash(data: signature.signedAttributes), padding: .insecurePKCS1v1_5)
        default:
            throw PaymentTokenError(
                .signer, "algorithm_mismatch",
                "The signer's key and algorithm are not those of \(version.rawValue) tokens.")
        }
        guard isValid else {
            throw PaymentTokenError(.signature, "signature", "The signature does not fit what is signed.")
        }
    }
}

extension DistinguishedName {
    /// Returns the first attribute of this type that is text.
    func firstText(_ name: ASN1ObjectIdentifier) -> String? {
        for relative in self {
            for attribute in relative where attribute.type == name {
                if let text = String(attribute.value) { return text }
            }
        }
        return nil
    }
}

extension Timestamp {
    /// Converts a certificate date. Its range is years 0 to 9999, so whole milliseconds fit.
    init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        self.init(milliseconds: seconds.magnitude < 1e12 ? Int64(seconds) * 1000 : 0)
    }
}
