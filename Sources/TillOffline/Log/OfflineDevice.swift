import Crypto
public import TillCore

/// The device that keeps an offline log: its name and the key that it signs with. The key signs; it opens nothing.
public struct OfflineDevice: Sendable {
    /// What people call it.
    public let name: String
    private let key: Curve25519.Signing.PrivateKey

    /// The device of a key, 32 bytes that nobody else has. `nil` if they are no key.
    public init?(name: String, key: Secret<[UInt8]>) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: key.reveal()) else { return nil }
        self.name = name
        self.key = key
    }

    /// A new key for a new device.
    public static func makeKey() -> Secret<[UInt8]> {
        Secret(Array(Curve25519.Signing.PrivateKey().rawRepresentation))
    }

    /// What its signatures are checked with, 32 bytes.
    public var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    func sign(_ bytes: [UInt8]) -> [UInt8] { (try? key.signature(for: bytes)).map { Array($0) } ?? [] }

    /// Whether a signature over bytes is that of a key.
    public static func isSigned(_ bytes: [UInt8], _ signature: some Collection<UInt8>, by publicKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(Array(signature), for: bytes)
    }
}

/// The provider that stored cards are for: what is sealed to it, and what its word is checked with. Both public keys.
public struct OfflineProviderKeys: Hashable, Sendable {
    /// Who it is; a log is for one of them only.
    public let issuer: String
    /// X25519, 32 bytes: card data are sealed to it.
    public let sealing: [UInt8]
    /// Ed25519, 32 bytes: its deletion tokens are signed with it.
    public let signing: [UInt8]

    /// Takes the keys as they are.
    public init(issuer: String, sealing: [UInt8], signing: [UInt8]) {
        self.issuer = issuer
        self.sealing = sealing
        self.signing = signing
    }
}
