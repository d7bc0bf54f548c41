import Crypto
import CryptoExtras
import SwiftASN1
public import TillCore
import X509

/// Why a certificate and key cannot be used to decrypt.
public struct ProcessingKeyError: ExplainedError, Hashable {
    /// A stable word for programs.
    public let code: String
    /// What happened, one sentence.
    public let what: String
    /// What to do next, one sentence.
    public let next: String
    /// Reading a key moves no money.
    public var moneyMoved: MoneyMoved { .no }

    init(_ code: String, _ what: String, next: String) {
        self.code = code
        self.what = what
        self.next = next
    }
}

/// A payment-processing certificate with its private key: what opens tokens made for one merchant.
///
/// It has no public way to its private key, and prints as a mask.
public struct ProcessingKey: Sendable, CustomStringConvertible {
    enum Key: Sendable {
        case p256(P256.KeyAgreement.PrivateKey)
        /// As the library's type that may be shared; the one that decrypts is made of it for each token.
        case rsa(_RSA.Signing.PrivateKey)

        init(_ file: PrivateKeyFile) {
            switch file {
            case .p256(let key): self = .p256(key)
            case .rsa(let key): self = .rsa(key)
            }
        }
    }

    let key: Key
    /// SHA-256 of the public key, by which a token names the key it was made for.
    public let publicKeyHash: [UInt8]
    /// The merchant that the certificate was issued for.
    public let merchant: MerchantIDHash
    /// When the certificate ends; far away if there was none. Tokens are decrypted after that too; Apple makes none
    /// then.
    public let validUntil: Timestamp

    /// Reads a certificate and its key.
    /// - Parameters:
    ///   - certificate: PEM or DER, as Apple's portal gives it.
    ///   - key: PEM or DER; PKCS #8, SEC 1 or PKCS #1; not encrypted.
    /// - Throws: ``ProcessingKeyError`` if one cannot be read, they do not fit each other, or the certificate
    ///   is not a merchant's.
    public init(certificate: [UInt8], key: [UInt8]) throws(ProcessingKeyError) {
        let parsed = try MerchantCertificate(parsing: certificate)
        guard let merchant = parsed.merchant else {
            throw ProcessingKeyError(
                "not_merchant", "The certificate has no merchant identifier of Apple's in it.",
                next: "Give the Payment Processing Certificate from Apple's developer portal.")
        }
        self.merchant = merchant
        publicKeyHash = Array(SHA256.hash(data: parsed.publicKeyInfo))
        validUntil = parsed.validUntil
        let privateKey = try PrivateKeyFile.read(key)
        guard privateKey.publicKeyInfo == parsed.publicKeyInfo else {
            throw ProcessingKeyError(
                "key_mismatch", "The private key does not belong to the certificate.",
                next: "Give the key with which the certificate's request was made.")
        }
        self.key = Key(privateKey)
    }

    /// Reads a key whose certificate is not at hand: what decrypts a token is the key and the merchant's identifier.
    /// - Parameters:
    ///   - merchant: the merchant's identifier, hashed.
    ///   - key: PEM or DER; PKCS #8, SEC 1 or PKCS #1; not encrypted.
    /// - Throws: ``ProcessingKeyError`` if the key cannot be read.
    public init(merchant: MerchantIDHash, key: [UInt8]) throws(ProcessingKeyError) {
        let privateKey = try PrivateKeyFile.read(key)
        self.merchant = merchant
        publicKeyHash = Array(SHA256.hash(data: privateKey.publicKeyInfo))
        validUntil = Timestamp(milliseconds: .max)
        self.key = Key(privateKey)
    }

    /// The merchant, never the key.
    public var description: String { "ProcessingKey(\(merchant))" }
}

/// The processing keys of a shop: those in use and those whose tokens may still come in.
public struct ProcessingKeyRing: Sendable {
    private var keys: [[UInt8]: ProcessingKey] = [:]

    /// A ring of these keys.
    public init(_ keys: [ProcessingKey] = []) {
        for key in keys { add(key) }
    }

    /// Adds a key; one with the same public key is replaced.
    public mutating func add(_ key: ProcessingKey) { keys[key.publicKeyHash] = key }

    /// The key with this SHA-256 of its public key. No key is ever tried that a token does not name.
    public func key(publicKeyHash: [UInt8]) -> ProcessingKey? { keys[publicKeyHash] }

    /// All keys of the ring, in no order.
    public var all: [ProcessingKey] { Array(keys.values) }
}
