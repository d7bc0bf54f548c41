import TillCore

/// Random bearer tokens. Only their SHA-256 is ever stored.
package enum SecretToken {
    /// The length of a session token in bytes.
    package static let sessionBytes = 32
    /// The length of a start code in bytes: 160 bits, and short enough for an address on one line.
    package static let startCodeBytes = 20

    /// Returns random bytes of the system's generator in lower-case hexadecimal.
    package static func make(bytes: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.lowercase((0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
