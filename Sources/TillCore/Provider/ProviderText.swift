/// Sanitizes text from a provider, a printer or a mail server for storage and display: one line of bounded length
/// without card numbers. Limits count bytes, because one character may have any number of them.
public enum ProviderText {
    /// The longest stored sentence, in bytes of UTF-8.
    public static let sentenceBytes = 2_048
    /// The longest code, brand or request name, in bytes of UTF-8.
    public static let wordBytes = 256
    /// The longest URL of a bank's page, in bytes.
    public static let addressBytes = 2_048
    /// The number of bytes examined past the end, so that a card number split by the end is found.
    private static let overlap = 128

    /// Returns a sentence for people, sanitized for storage.
    public static func sentence(_ text: String) -> String { line(text, atMost: sentenceBytes) }

    /// Returns a code or a name, sanitized for storage.
    public static func word(_ text: String) -> String { line(text, atMost: wordBytes) }

    /// Returns a URL to which a customer may be sent: printable ASCII, over TLS or on this machine; `nil` for any
    /// other.
    public static func address(_ text: String) -> String? {
        guard text.utf8.count <= addressBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return text.hasPrefix("https://") || Loopback.isURL(text) ? text : nil
    }

    /// Truncates a text to a number of bytes, at a boundary of Unicode scalars.
    public static func cut(_ text: String, atMost limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let bytes = Array(text.utf8.prefix(limit + 1))
        var end = max(0, limit)
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Returns one line of at most `limit` bytes of UTF-8, with card numbers masked.
    public static func line(_ text: String, atMost limit: Int) -> String {
        let near = cut(text, atMost: limit + overlap)
        return cut(CardNumberMask.masked(printable(near)), atMost: limit)
    }

    /// Replaces control characters and line ends by spaces, and removes characters that only change the text direction.
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
