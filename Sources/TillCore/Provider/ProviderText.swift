/// Text of a provider, a printer or a mail server that is kept and shown. However much one sends, what is kept of it is
/// one line of bounded length without card numbers. Bytes are counted, since one character may have any number of them.
public enum ProviderText {
    /// The longest sentence that is kept, in bytes of UTF-8.
    public static let sentenceBytes = 2_048
    /// The longest code, brand or name of a request, in bytes of UTF-8.
    public static let wordBytes = 256
    /// The longest address of a bank's page, in bytes.
    public static let addressBytes = 2_048
    /// What is examined behind the end, so that a card number that the end parts is found.
    private static let overlap = 128

    /// A sentence for people, fit to be kept.
    public static func sentence(_ text: String) -> String { line(text, atMost: sentenceBytes) }

    /// A code or a name, fit to be kept.
    public static func word(_ text: String) -> String { line(text, atMost: wordBytes) }

    /// An address to which a customer may be sent: of printable ASCII, over TLS or on this machine; `nil` for any
    /// other.
    public static func address(_ text: String) -> String? {
        guard text.utf8.count <= addressBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return text.hasPrefix("https://") || Loopback.isURL(text) ? text : nil
    }

    /// The first bytes of a text, as many as make whole Unicode scalars.
    public static func cut(_ text: String, atMost limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let bytes = Array(text.utf8.prefix(limit + 1))
        var end = max(0, limit)
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// One line of at most so many bytes of UTF-8, with card numbers masked.
    public static func line(_ text: String, atMost limit: Int) -> String {
        let near = cut(text, atMost: limit + overlap)
        return cut(CardNumberMask.masked(printable(near)), atMost: limit)
    }

    /// Control characters and line ends are spaces; characters that only turn the direction of others are left out.
    private static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: kept.append(" ")
            case .format: if scalar.isSpelling(after: kept.last) { kept.append(scalar) }
            default: kept.append(scalar)
            }
        }
        return String(kept)
    }
}
