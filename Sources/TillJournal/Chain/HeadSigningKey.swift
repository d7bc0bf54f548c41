internal import Crypto
internal import Foundation
public import TillCore

/// The private key that signs heads of the chain: Ed25519. It signs nothing else and prints as nothing.
public struct HeadSigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: Curve25519.Signing.PrivateKey

    /// Makes a random key.
    public init() { key = Curve25519.Signing.PrivateKey() }

    /// Reads PKCS #8 in PEM (RFC 8410), as ``pem`` writes it and as OpenSSL does.
    /// - Throws: ``SignedHeadError/unusableKey``
    public init(pem: Secret<String>) throws(SignedHeadError) {
        guard let raw = KeyDocument.privateKey.content(of: pem.reveal()),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: raw)
        else { throw .unusableKey }
        self.key = key
    }

    /// PKCS #8 in PEM.
    public var pem: Secret<String> { Secret(KeyDocument.privateKey.text(of: Array(key.rawRepresentation))) }

    /// What its signatures are verified with.
    public var verifyingKey: HeadVerifyingKey { HeadVerifyingKey(key.publicKey) }

    func signature(of bytes: [UInt8]) throws(SignedHeadError) -> [UInt8] {
        do { return Array(try key.signature(for: bytes)) } catch { throw .notSigned }
    }

    public var description: String { "the signing key \(verifyingKey.id)" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The public key that heads of the chain are verified with.
public struct HeadVerifyingKey: Sendable {
    private let key: Curve25519.Signing.PublicKey

    init(_ key: Curve25519.Signing.PublicKey) { self.key = key }

    /// Reads a SubjectPublicKeyInfo in PEM (RFC 8410).
    /// - Throws: ``SignedHeadError/unusableKey``
    public init(pem: String) throws(SignedHeadError) {
        guard let raw = KeyDocument.publicKey.content(of: pem),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else { throw .unusableKey }
        self.key = key
    }

    /// A SubjectPublicKeyInfo in PEM.
    public var pem: String { KeyDocument.publicKey.text(of: Array(key.rawRepresentation)) }

    /// By what people distinguish keys: the first 8 bytes of SHA-256 of the key's 32 bytes, in hexadecimal.
    public var id: String { Hex.lowercase(SHA256.hash(data: key.rawRepresentation).prefix(8)) }

    func isSigned(_ bytes: [UInt8], _ signature: [UInt8]) -> Bool { key.isValidSignature(signature, for: bytes) }
}

/// A key's file: the one form of each kind that RFC 8410 has for Ed25519 without attributes.
private struct KeyDocument {
    private static let keyBytes = 32

    static let privateKey = KeyDocument(
        label: "PRIVATE KEY",
        start: [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20])
    static let publicKey = KeyDocument(
        label: "PUBLIC KEY", start: [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00])

    let label: String
    /// The DER before the key itself.
    let start: [UInt8]

    func text(of key: [UInt8]) -> String {
        "-----BEGIN \(label)-----\n\(Data(start + key).base64EncodedString())\n-----END \(label)-----\n"
    }

    /// The key's 32 bytes; `nil` for anything else.
    func content(of pem: String) -> [UInt8]? {
        let lines = pem.split(whereSeparator: \.isNewline)
        guard lines.count == 3, lines[0] == "-----BEGIN \(label)-----", lines[2] == "-----END \(label)-----",
            let der = Data(base64Encoded: String(lines[1])), der.starts(with: start),
            der.count == start.count + KeyDocument.keyBytes
        else { return nil }
        return Array(der.dropFirst(start.count))
    }
}
