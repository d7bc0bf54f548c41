internal import Crypto
public import TillCore

/// By what a key is known again in the journal without being there.
public enum KeyFingerprint {
    /// How many bytes of the hash are kept: enough to distinguish a shop's keys, too few to check guesses of a
    /// weak one with certainty.
    public static let bytes = 6

    /// Twelve hexadecimal digits of a SHA-256 over the key and whose it is.
    public static func of(_ key: Secret<String>, at provider: ProviderName) -> String {
        let digest = SHA256.hash(data: Array("till key of \(provider)\n\(key.reveal())".utf8))
        return Hex.text(Array(digest.prefix(bytes)))
    }
}
