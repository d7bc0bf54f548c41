import Crypto
import CryptoExtras
import SwiftASN1
import TillCore

/// A private key in one of the common file formats.
enum PrivateKeyFile {
    case p256(P256.KeyAgreement.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey)

    /// SubjectPublicKeyInfo of the public key, in DER.
    var publicKeyInfo: [UInt8] {
        switch self {
        case .p256(let key): Array(key.publicKey.derRepresentation)
        case .rsa(let key): Array(key.publicKey.derRepresentation)
        }
    }

    /// Parses PEM or DER, PKCS #8, SEC 1 or PKCS #1. Blocks with curve parameters are skipped.
    static func read(_ file: [UInt8]) throws(ProcessingKeyError) -> PrivateKeyFile {
        let labels = ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]
        let blocks = PEMBlock.all(in: file)
        if let block = blocks.first(where: { labels.contains($0.label) }) {
            if let key = key(block.content) { return key }
        } else if blocks.isEmpty {
            if let key = key(file) { return key }
            let text = String(decoding: file, as: UTF8.self).filter { !$0.isWhitespace }
            if let bytes = StrictBase64.decode(text), let key = key(bytes) { return key }
        }
        let isEncrypted = String(decoding: file, as: UTF8.self).contains("ENCRYPTED")
        throw ProcessingKeyError(
            "key", isEncrypted ? "The private key is encrypted." : "The private key cannot be read.",
            next: isEncrypted
                ? "Decrypt it first, as with openssl pkey."
                : "Give a P-256 or RSA key as PEM or DER, in PKCS #8, SEC 1 or PKCS #1.")
    }

    private static func key(_ bytes: [UInt8]) -> PrivateKeyFile? {
        if let key = try? P256.KeyAgreement.PrivateKey(derRepresentation: bytes) { return .p256(key) }
        if let scalar = scalar(bytes), let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: scalar) {
            return .p256(key)
        }
        if let key = try? _RSA.Signing.PrivateKey(derRepresentation: bytes) { return .rsa(key) }
        return nil
    }

    /// Returns the scalar of an elliptic-curve key in an encoding that the library rejects, such as one without a curve
    /// name, or without leading zeros.
    private static func scalar(_ bytes: [UInt8]) -> [UInt8]? {
        guard let node = try? BER.parse(bytes), case .constructed(let fields) = node.content else { return nil }
        var parts = fields.makeIterator()
        guard let version = parts.next(), case .primitive(let number) = version.content, number == [1],
            let octets = parts.next(), octets.identifier == .octetString, case .primitive(let value) = octets.content,
            (1...32).contains(value.count)
        else { return nil }
        return [UInt8](repeating: 0, count: 32 - value.count) + value
    }
}
