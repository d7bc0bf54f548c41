public import TillCore

/// The short, non-secret identifier of a key in lists and commands.
public struct APIKeyID: Identifier {
    /// The identifier exactly as received.
    public let rawValue: String
    /// Creates an identifier from unvalidated text.
    public init(rawValue: String) { self.rawValue = rawValue }

    private static let prefix = "key_"
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let randomDigits = 12
    private static let bytesOfHash = 8

    /// Returns a new identifier of 60 random bits.
    package static func random() -> APIKeyID {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<randomDigits).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
        return APIKeyID(rawValue: prefix + String(decoding: digits, as: UTF8.self))
    }

    /// Returns the identifier of the key that a request makes, so that the same request makes no second one.
    /// - Parameter idempotencyKey: The request's idempotency key.
    package static func made(for account: AccountID, by idempotencyKey: String) -> APIKeyID {
        let digits = digest("till/keys/\(account)/\(idempotencyKey)".utf8).prefix(randomDigits)
            .map { alphabet[Int($0 & 31)] }
        return APIKeyID(rawValue: prefix + String(decoding: digits, as: UTF8.self))
    }

    /// Returns the stable identifier of a key created before keys had identifiers, derived from the key's digest.
    static func derived(from hash: [UInt8]) -> APIKeyID {
        APIKeyID(rawValue: prefix + Hex.lowercase(hash.prefix(bytesOfHash)))
    }
}
