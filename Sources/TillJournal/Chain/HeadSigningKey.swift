internal import Crypto
internal import Foundation
public import TillCore

/// The Ed25519 private key that signs chain heads. It signs nothing else, and its description does not reveal it.
public struct HeadSigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: Curve25519.Signing.PrivateKey

    /// Creates a random key.
    public init() { key = Curve25519.Signing.PrivateKey() }

    /// Reads PKCS #8 in PEM (RFC 8410), as written by ``pem`` and by OpenSSL.
    /// - Throws: ``SignedHeadError/unusableKey``
    public init(pem: Secret<String>) throws(SignedHeadError) {
        guard let raw = KeyDocument.privateKey.content(of: pem.reveal()),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: raw)
        else { throw .unusableKey }
        self.key = key
    }

    /// PKCS #8 in PEM.
    public var pem: Secret<String> { Secret(KeyDocument.privateKey.text(of: Array(key.rawRepresentation))) }

    /// The public key that verifies its signatures.
    public var verifyingKey: HeadVerifyingKey { HeadVerifyingKey(key.publicKey) }

    func signature(of bytes: [UInt8]) throws(SignedHeadError) -> [UInt8] {
        do { return Array(try key.signature(for: bytes)) } catch { throw .notSigned }
    }

    public var description: String { "the signing key \(verifyingKey.id)" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The public key that verifies signed chain heads.
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

    /// The key's fingerprint: the first 8 bytes of SHA-256 of its 32 bytes, in hexadecimal.
    public var id: String { Hex.lowercase(SHA256.hash(data: key.rawRepresentation).prefix(8)) }

    func isSigned(_ bytes: [UInt8], _ signature: [UInt8]) -> Bool { key.isValidSignature(signature, for: bytes) }
}

/// The encoding of a key file: for each kind the only form that RFC 8410 has for Ed25519 without attributes.
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

    /// Returns the key's 32 bytes; `nil` for anything else.
    func content(of pem: String) -> [UInt8]? {
        let lines = pem.split(whereSeparator: \.isNewline)
        guard lines.count == 3, lines[0] == "-----BEGIN \(label)-----", lines[2] == "-----END \(label)-----",
            let der = Data(base64Encoded: String(lines[1])), der.starts(with: start),
            der.count == start.count + KeyDocument.keyBytes
        else { return nil }
        return Array(der.dropFirst(start.count))
    }
}
