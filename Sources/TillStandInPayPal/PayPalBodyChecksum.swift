/// The checksum that PayPal's signatures cover in place of a webhook's body: CRC-32 (IEEE 802.3), bit by bit.
enum PayPalBodyChecksum {
    private static let polynomial: UInt32 = 0xEDB8_8320

    static func of(_ body: [UInt8]) -> UInt32 {
        var rest = UInt32.max
        for byte in body {
            for bit in 0..<8 {
                let isOdd = (rest ^ UInt32(byte >> bit)) & 1 == 1
                rest >>= 1
                if isOdd { rest ^= polynomial }
            }
        }
        return ~rest
    }
}
