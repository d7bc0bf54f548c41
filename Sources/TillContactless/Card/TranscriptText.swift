/// The text of a recording's file.
enum TranscriptText {
    /// Decodes UTF-8 or UTF-16, recognized by the byte order mark, or by every other byte being zero. Invalid text
    /// becomes characters that no line is parsed from.
    static func decoded(_ bytes: [UInt8]) -> String {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: bytes.dropFirst(3), as: UTF8.self) }
        if bytes.starts(with: [0xFF, 0xFE]) { return wide(bytes.dropFirst(2), lowFirst: true) }
        if bytes.starts(with: [0xFE, 0xFF]) { return wide(bytes.dropFirst(2), lowFirst: false) }
        let head = bytes.prefix(64)
        if head.count >= 4 {
            let zeros = head.enumerated().filter { $0.element == 0 }
            let odd = zeros.filter { $0.offset % 2 == 1 }.count
            if odd * 4 > head.count, odd == zeros.count { return wide(bytes[...], lowFirst: true) }
            if zeros.count * 4 > head.count, odd == 0 { return wide(bytes[...], lowFirst: false) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func wide(_ bytes: ArraySlice<UInt8>, lowFirst: Bool) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var first: UInt8?
        for byte in bytes {
            if let before = first {
                let (low, high) = lowFirst ? (before, byte) : (byte, before)
                units.append(UInt16(high) << 8 | UInt16(low))
                first = nil
            } else {
                first = byte
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}
