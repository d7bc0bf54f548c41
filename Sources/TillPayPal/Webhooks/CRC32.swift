/// The CRC-32 of zlib and IEEE 802.3, which PayPal's webhook signatures cover in place of the body. It detects
/// accidental corruption, not forgery: see ``PayPalWebhooks``.
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
        return value ^ 0xFFFF_FFFF
    }
}
