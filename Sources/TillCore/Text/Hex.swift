public enum Hex {
    /// Returns upper-case digits without spaces.
    public static func text(_ bytes: some Sequence<UInt8>) -> String { text(bytes, ten: 0x41) }

    /// Returns lower-case digits without spaces.
    public static func lowercase(_ bytes: some Sequence<UInt8>) -> String { text(bytes, ten: 0x61) }

    /// Appends lower-case digits without spaces, in ASCII.
    package static func append(lowercase bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        for byte in bytes {
            let (high, low) = (byte >> 4, byte & 15)
            text.append(high < 10 ? 0x30 + high : 0x57 + high)
            text.append(low < 10 ? 0x30 + low : 0x57 + low)
        }
    }

    /// Decodes digits of either case; `nil` for an odd number of digits or any other character.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    /// Returns the value of one digit of either case, given as ASCII; `nil` for any other character.
    public static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x41...0x46: character - 0x41 + 10
        case 0x61...0x66: character - 0x61 + 10
        default: nil
        }
    }

    private static func text(_ bytes: some Sequence<UInt8>, ten: UInt8) -> String {
        bytes.withContiguousStorageIfAvailable { text(of: $0, ten: ten) }
            ?? Array(bytes).withUnsafeBufferPointer { text(of: $0, ten: ten) }
    }

    private static func text(of bytes: UnsafeBufferPointer<UInt8>, ten: UInt8) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                let (high, low) = (byte >> 4, byte & 15)
                text[2 * index] = high < 10 ? 0x30 + high : ten - 10 + high
                text[2 * index + 1] = low < 10 ? 0x30 + low : ten - 10 + low
            }
            return bytes.count * 2
        }
    }
}
