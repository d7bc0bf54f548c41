import TillCore

/// Random words that let somebody in. Only their SHA-256 is ever kept.
enum SecretToken {
    /// Bytes of a session's token.
    static let sessionBytes = 32
    /// Bytes of a start code: 160 bits, and short enough to be an address on one line.
    static let startCodeBytes = 20

    /// So many bytes of the system's generator, in lower-case hexadecimal.
    static func make(bytes: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.lowercase((0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
