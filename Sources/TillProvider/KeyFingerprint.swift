internal import Crypto
public import TillCore

/// Identifies a key in the journal without storing it.
public enum KeyFingerprint {
    /// The number of hash bytes kept: enough to distinguish a shop's keys, too few to confirm guesses of a weak one.
    public static let bytes = 6

    /// Returns twelve hexadecimal digits of a SHA-256 hash over the provider's name and the key.
    public static func of(_ key: Secret<String>, at provider: ProviderName) -> String {
        let digest = SHA256.hash(data: Array("till key of \(provider)\n\(key.reveal())".utf8))
        return Hex.text(Array(digest.prefix(bytes)))
    }
}
