public import TillCore

/// What a key is called in lists and commands: short, and no secret.
public struct APIKeyID: Identifier {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    private static let prefix = "key_"
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let randomDigits = 12
    private static let bytesOfHash = 8

    /// A new one, of 60 random bits.
    static func random() -> APIKeyID {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<randomDigits).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
        return APIKeyID(rawValue: prefix + String(decoding: digits, as: UTF8.self))
    }

    /// That of a key which was made before keys had one: always the same, from the digest of the key.
    static func derived(from hash: [UInt8]) -> APIKeyID {
        APIKeyID(rawValue: prefix + Hex.lowercase(hash.prefix(bytesOfHash)))
    }
}
