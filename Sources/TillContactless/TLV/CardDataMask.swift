import TillCore

/// Masking of values that contain a card number, a track or a name.
public enum CardDataMask {
    /// Returns the value in hexadecimal, masked if the tag is sensitive, or if it is unknown and its digits could be a
    /// card number. Of a card number the first six and the last four digits remain; of a track the same and nothing
    /// else; of a name nothing.
    public static func shown(_ tag: Tag, _ value: [UInt8]) -> String {
        guard !value.isEmpty else { return "" }
        switch tag {
        case 0x5A: return masked(digits(value))
        case 0x57, 0x9F6B: return masked(String(digits(value).prefix { $0 != "D" })) + "D…"
        case 0x56: return "B…, \(value.count) bytes"
        default: break
        }
        if TagDictionary.isSensitive(tag) { return "••••, \(value.count) bytes" }
        // Unknown records may contain a number in any tag; an ASCII or packed run that passes Luhn is masked.
        if TagDictionary.entry(of: tag) == nil, holdsCardNumber(value) { return "••••, \(value.count) bytes" }
        return Hex.text(value)
    }

    /// Returns the first six and last four digits; everything is masked for fewer than 13.
    public static func masked(_ number: String) -> String {
        let digits = number.filter(\.isNumber)
        guard digits.count >= 13 else { return String(repeating: "•", count: max(digits.count, 4)) }
        return digits.prefix(6) + String(repeating: "•", count: digits.count - 10) + digits.suffix(4)
    }

    private static func digits(_ value: [UInt8]) -> String {
        String(Hex.text(value).prefix { $0 != "F" })
    }

    /// Returns `true` if 13 to 19 consecutive digits, packed or as text, pass the Luhn check.
    static func holdsCardNumber(_ value: [UInt8]) -> Bool {
        let packed = Hex.text(value)
        let text = String(decoding: value.map { (0x30...0x39).contains($0) ? $0 : 0x20 }, as: UTF8.self)
        return [packed, text].contains { line in
            line.split { !("0"..."9").contains($0) }.contains { run in
                (13...19).contains(run.count) && LuhnChecksum.isValid(run.utf8)
            }
        }
    }
}
