import Crypto
import Foundation
package import TillCore

/// Six-digit codes computed from a shared secret and the time: RFC 6238 with the parameters that every app supports,
/// HMAC-SHA-1 and thirty seconds. HMAC does not depend on SHA-1's collision resistance.
package struct OneTimeCode: Sendable {
    package static let digits = 6
    /// The validity of one code, in seconds.
    package static let step: Int64 = 30
    /// The tolerated clock difference, in steps in either direction; RFC 6238 (5.2) recommends one.
    static let drift: Int64 = 1
    /// The length of a secret, in bytes: that of the hash (RFC 4226, 4).
    static let secretBytes = 20

    package let secret: Secret<[UInt8]>

    package init(secret: Secret<[UInt8]>) { self.secret = secret }

    /// Makes a new secret.
    package static func make() -> OneTimeCode {
        var generator = SystemRandomNumberGenerator()
        return OneTimeCode(
            secret: Secret((0..<secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    }

    /// Returns the step of a time.
    package static func step(at time: Timestamp) -> Int64 { time.milliseconds / 1_000 / step }

    /// Returns the code of a step.
    package func code(at step: Int64, digits: Int = OneTimeCode.digits) -> String {
        let counter = withUnsafeBytes(of: UInt64(bitPattern: step).bigEndian) { Data($0) }
        let key = SymmetricKey(data: secret.reveal())
        let code = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: key))
        let offset = Int(code[code.count - 1] & 0xF)
        let number = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt64(1)) { power, _ in power * 10 }
        let text = String(UInt64(number) % modulus)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// Returns the step of a code, later than the last one used. Compares in constant time.
    /// - Returns: `nil` for a wrong code and for a step already used: each code is accepted once.
    package func accepts(_ code: Secret<String>, at time: Timestamp, after last: Int64?) -> Int64? {
        let given = Array(code.reveal().utf8)
        let now = OneTimeCode.step(at: time)
        var found: Int64?
        for step in now - OneTimeCode.drift...now + OneTimeCode.drift {
            let isRight = equalInConstantTime(given, Array(self.code(at: step).utf8))
            if isRight, step > last ?? .min { found = found ?? step }
        }
        return found
    }

    /// The secret for manual entry into an app: base32 (RFC 4648) without padding.
    package var base32: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var text: [UInt8] = []
        var (held, bits): (UInt32, Int) = (0, 0)
        for byte in secret.reveal() {
            held = held << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                text.append(alphabet[Int(held >> UInt32(bits - 5)) & 31])
                bits -= 5
            }
            held &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { text.append(alphabet[Int(held << UInt32(5 - bits)) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the address for an app's QR code: `otpauth://totp/SHOP:NAME?secret=…&issuer=SHOP`.
    package func address(shop: String, name: String) -> String {
        let issuer = OneTimeCode.escaped(shop)
        return "otpauth://totp/\(issuer):\(OneTimeCode.escaped(name))?secret=\(base32)&issuer=\(issuer)"
            + "&algorithm=SHA1&digits=\(OneTimeCode.digits)&period=\(OneTimeCode.step)"
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.text([byte])
        }.joined()
    }
}
