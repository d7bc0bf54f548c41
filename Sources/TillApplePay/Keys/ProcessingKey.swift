import Crypto
import CryptoExtras
import SwiftASN1
public import TillCore
import X509

/// The reason that a certificate and key cannot be used for decryption.
public struct ProcessingKeyError: ExplainedError, Hashable {
    /// A stable identifier for programs.
    public let code: String
    /// The error in one sentence.
    public let what: String
    /// The recommended next step in one sentence.
    public let next: String
    /// Always `no`: reading a key moves no money.
    public var moneyMoved: MoneyMoved { .no }

    init(_ code: String, _ what: String, next: String) {
        self.code = code
        self.what = what
        self.next = next
    }
}

/// A payment processing certificate with its private key, which decrypts the tokens of one merchant.
///
/// It exposes no public access to its private key, and prints as a mask.
public struct ProcessingKey: Sendable, CustomStringConvertible {
    enum Key: Sendable {
        case p256(P256.KeyAgreement.PrivateKey)
        /// Kept as the library's sendable type; the decryption key is created from it for each token.
        case rsa(_RSA.Signing.PrivateKey)

        init(_ file: PrivateKeyFile) {
            switch file {
            case .p256(let key): self = .p256(key)
            case .rsa(let key): self = .rsa(key)
            }
        }
    }

    let key: Key
    /// SHA-256 of the public key, by which a token names its key.
    public let publicKeyHash: [UInt8]
    /// The merchant that the certificate was issued for.
    public let merchant: MerchantIDHash
    /// End of the certificate's validity; far in the future without one. Tokens are still decrypted after that; Apple
    /// issues none then.
    public let validUntil: Timestamp

    /// Parses a certificate and its key.
    /// - Parameters:
    ///   - certificate: PEM or DER, as downloaded from Apple's portal.
    ///   - key: PEM or DER; PKCS #8, SEC 1 or PKCS #1; not encrypted.
    /// - Throws: ``ProcessingKeyError`` if one cannot be read, they do not belong together, or the certificate is not a
    ///   merchant's.
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

    /// Parses a key without its certificate: the key and the merchant identifier suffice for decryption.
    /// - Parameters:
    ///   - merchant: the hashed merchant identifier.
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

/// A merchant's processing keys: current ones, and retired ones for tokens still to arrive.
public struct ProcessingKeyRing: Sendable {
    private var keys: [[UInt8]: ProcessingKey] = [:]

    /// Creates a ring of these keys.
    public init(_ keys: [ProcessingKey] = []) {
        for key in keys { add(key) }
    }

    /// Adds a key, replacing one with the same public key.
    public mutating func add(_ key: ProcessingKey) { keys[key.publicKeyHash] = key }

    /// Returns the key with this SHA-256 of its public key. Only the key that a token names is ever tried.
    public func key(publicKeyHash: [UInt8]) -> ProcessingKey? { keys[publicKeyHash] }

    /// All keys of the ring, unordered.
    public var all: [ProcessingKey] { Array(keys.values) }
}
