import Crypto
public import TillCore

/// The device that keeps an offline log: its name and signing key. The key cannot decrypt anything.
public struct OfflineDevice: Sendable {
    /// The display name.
    public let name: String
    private let key: Curve25519.Signing.PrivateKey

    /// Creates a device from its private key, 32 bytes; `nil` if the key is invalid.
    public init?(name: String, key: Secret<[UInt8]>) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: key.reveal()) else { return nil }
        self.name = name
        self.key = key
    }

    /// Generates a key for a new device.
    public static func makeKey() -> Secret<[UInt8]> {
        Secret(Array(Curve25519.Signing.PrivateKey().rawRepresentation))
    }

    /// The public key that verifies its signatures, 32 bytes.
    public var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    func sign(_ bytes: [UInt8]) -> [UInt8] { (try? key.signature(for: bytes)).map { Array($0) } ?? [] }

    /// Returns `true` if the signature over `bytes` verifies with `publicKey`.
    public static func isSigned(_ bytes: [UInt8], _ signature: some Collection<UInt8>, by publicKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(Array(signature), for: bytes)
    }
}

/// The provider that stored cards are sealed for: its sealing key and its signing key, both public.
public struct OfflineProviderKeys: Hashable, Sendable {
    /// The provider's identity; a log belongs to exactly one.
    public let issuer: String
    /// X25519, 32 bytes: card data are sealed to it.
    public let sealing: [UInt8]
    /// Ed25519, 32 bytes: verifies the provider's deletion tokens.
    public let signing: [UInt8]

    /// Creates the keys without validation.
    public init(issuer: String, sealing: [UInt8], signing: [UInt8]) {
        self.issuer = issuer
        self.sealing = sealing
        self.signing = signing
    }
}
