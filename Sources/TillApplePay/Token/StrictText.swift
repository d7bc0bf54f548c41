/// Base64 (RFC 4648, section 4) with one spelling for each value: padded, no spaces, and no bits set behind the end.
/// Two spellings of one token would let a changed token pass for the same.
enum StrictBase64 {
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, letter) in alphabet.utf8.enumerated() { table[Int(letter)] = UInt8(truncatingIfNeeded: value) }
        return table
    }()

    /// The bytes; `nil` for anything but the one right spelling.
    static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { letters in decode(letters) }
    }

    private static func decode(_ letters: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard letters.count % 4 == 0 else { return nil }
        guard !letters.isEmpty else { return [] }
        let padding = letters[letters.count - 1] != 0x3D ? 0 : letters[letters.count - 2] != 0x3D ? 1 : 2
        let symbols = letters.count - padding
        return values.withUnsafeBufferPointer { table in
            var isValid = true
            let count = letters.count / 4 * 3 - padding
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, written in
                var bits: UInt32 = 0
                var held = 0
                for index in 0..<symbols {
                    let value = table[Int(letters[index])]
                    guard value < 64 else {
                        isValid = false
                        break
                    }
                    bits = bits << 6 | UInt32(value)
                    held += 6
                    if held >= 8 {
                        held -= 8
                        output[written] = UInt8(truncatingIfNeeded: bits >> UInt32(held))
                        written += 1
                    }
                }
                if bits & ((1 << UInt32(held)) - 1) != 0 { isValid = false }
            }
            return isValid && bytes.count == count ? bytes : nil
        }
    }
}

/// Hexadecimal text, in one case throughout: a letter whose case was changed is a changed token.
enum StrictHex {
    /// The bytes; `nil` for an odd count, another character, or both cases in one text.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var half: UInt8?
        var sawUpper = false
        var sawLower = false
        for letter in text.utf8 {
            let value: UInt8
            switch letter {
            case 0x30...0x39: value = letter - 0x30
            case 0x41...0x46:
                value = letter - 0x37
                sawUpper = true
            case 0x61...0x66:
                value = letter - 0x57
                sawLower = true
            default: return nil
            }
            if let high = half {
                bytes.append(high << 4 | value)
                half = nil
            } else {
                half = value
            }
        }
        return half == nil && !(sawUpper && sawLower) ? bytes : nil
    }

    /// Lower-case text of bytes.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// Compares without stopping at the first difference.
func equalInConstantTime(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(left, right) { difference |= a ^ b }
    return difference == 0
}
