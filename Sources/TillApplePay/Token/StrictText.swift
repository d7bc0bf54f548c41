import TillCore

/// Base64 (RFC 4648, section 4) with a single spelling per value: padded, no spaces, and no trailing bits set. With two
/// spellings, a modified token could pass as the same one.
enum StrictBase64 {
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, letter) in alphabet.utf8.enumerated() { table[Int(letter)] = UInt8(truncatingIfNeeded: value) }
        return table
    }()

    /// Returns the bytes; `nil` for anything but the canonical spelling.
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

/// Base64 around a whole token, as produced by transports: either alphabet, with or without padding, with line breaks.
/// Not for values within a token: see ``StrictBase64``.
enum TransportBase64 {
    /// Returns the bytes; `nil` for anything else, and for a mixture of the alphabets.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var letters = text.filter { $0 > 0x20 }
        let isForURLs = letters.contains(0x2D) || letters.contains(0x5F)
        if isForURLs {
            guard !letters.contains(0x2B), !letters.contains(0x2F) else { return nil }
            letters = letters.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }
        }
        if letters.last != 0x3D { letters += [UInt8](repeating: 0x3D, count: (4 - letters.count % 4) % 4) }
        return StrictBase64.decode(String(decoding: letters, as: UTF8.self))
    }
}

/// Hexadecimal text, in one case throughout: a token with a letter in the other case is a modified token.
enum StrictHex {
    /// Returns the bytes; `nil` for an odd count, another character, or mixed case.
    static func decode(_ text: String) -> [UInt8]? {
        let letters = text.utf8.filter { $0 > 0x39 }
        guard letters.allSatisfy({ $0 < 0x60 }) || letters.allSatisfy({ $0 > 0x60 }) else { return nil }
        return Hex.decode(text)
    }
}
