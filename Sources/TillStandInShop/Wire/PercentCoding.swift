import TillCore

/// Percent encoding of RFC 3986.
enum PercentCoding {
    /// Encodes everything but letters, digits and `-._~`.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default:
                bytes.append(0x25)
                bytes.append(contentsOf: Hex.text([byte]).utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes what can be decoded; anything else stays as it is.
    static func decode(_ text: some StringProtocol) -> String {
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count)
        var place = 0
        while place < source.count {
            if source[place] == 0x25, place + 2 < source.count, let high = Hex.value(of: source[place + 1]),
                let low = Hex.value(of: source[place + 2])
            {
                bytes.append(high << 4 | low)
                place += 3
            } else {
                bytes.append(source[place])
                place += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
