/// Hexadecimal text.
public enum Hex {
    /// Upper-case digits without spaces.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads digits of either case; spaces, tabs, line ends, colons, hyphens and a leading `0x` are passed over.
    /// - Throws: ``TLVError/notHexadecimal(at:)`` for any other character and for an odd number of digits.
    public static func bytes(_ text: some StringProtocol) throws(TLVError) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        let characters = Array(text.utf8)
        var offset = characters.starts(with: [0x30, 0x78]) || characters.starts(with: [0x30, 0x58]) ? 2 : 0
        while offset < characters.count {
            let character = characters[offset]
            switch character {
            case 0x09, 0x0A, 0x0D, 0x20, 0x2D, 0x3A:
                break
            default:
                guard let value = value(of: character) else { throw .notHexadecimal(at: offset) }
                if let first = high {
                    bytes.append(first << 4 | value)
                    high = nil
                } else {
                    high = value
                }
            }
            offset += 1
        }
        guard high == nil else { throw .notHexadecimal(at: characters.count) }
        return bytes
    }

    static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x41...0x46: character - 0x41 + 10
        case 0x61...0x66: character - 0x61 + 10
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 - 10 + value }
}
