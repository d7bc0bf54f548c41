/// The character encoding of a statement. A report is recognized by its fields even after it was saved in another
/// encoding.
enum StatementEncoding {
    /// Returns the text as UTF-8 without a byte order mark if one marks it as UTF-16 or UTF-8; otherwise the bytes
    /// unchanged.
    static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        let isLittle = bytes.starts(with: [0xFF, 0xFE])
        guard isLittle || bytes.starts(with: [0xFE, 0xFF]), bytes.count.isMultiple(of: 2) else { return bytes }
        let units = stride(from: 2, to: bytes.count, by: 2).map { place in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
