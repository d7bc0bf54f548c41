import TillCore

/// Random bearer tokens. Only their SHA-256 is ever stored.
package enum SecretToken {
    /// The length of a session token in bytes.
    package static let sessionBytes = 32
    /// The length of a start code in bytes: 160 bits, and short enough for an address on one line.
    package static let startCodeBytes = 20

    /// The most digits in sequence, so that a token never reads as a card number, also beside another one: what reads
    /// as one is masked in requests, and the token would be worth nothing.
    private static let mostDigits = 6

    /// Returns random bytes of the system's generator in lower-case hexadecimal, drawn again while they have more than
    /// six digits in sequence. That costs a token of 160 bits about one of them.
    package static func make(bytes: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        while true {
            let token = Hex.lowercase((0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            let runs = token.utf8.split { $0 > 0x39 }
            if runs.allSatisfy({ $0.count <= mostDigits }) { return token }
        }
    }
}
