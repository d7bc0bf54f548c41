import Crypto
public import TillCore
public import TillOffline

/// The sandbox's keys for stored cards. They are derived from fixed words and public: seal no real card data to them.
public enum SandboxOfflineKeys {
    /// The provider keys with which a log is created.
    public static let keys = OfflineProviderKeys(
        issuer: "till-sandbox", sealing: StoredCardSeal.publicKey(of: sealing) ?? [],
        signing: (try? Curve25519.Signing.PrivateKey(rawRepresentation: signing.reveal())).map {
            Array($0.publicKey.rawRepresentation)
        } ?? [])

    static let sealing = key("till sandbox stored cards")
    /// Signs deletion tokens. Public, so that tests can create valid and flawed ones.
    public static let signing = key("till sandbox deletion")

    private static func key(_ word: String) -> Secret<[UInt8]> {
        Secret(Array(SHA256.hash(data: Array(word.utf8))))
    }
}
