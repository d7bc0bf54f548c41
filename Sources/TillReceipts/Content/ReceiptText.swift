import TillCore

/// Text that is safe for paper and screen: no control characters (so no ESC sequence reaches a printer), no invisible
/// characters that change the direction of surrounding text, white space collapsed, and card numbers masked to their
/// last four digits. Only this type is printed.
public struct ReceiptText: Hashable, Sendable {
    /// Maximum number of scalars kept.
    public static let maximumLength = 400
    /// Maximum number of combining marks kept per character; no language uses more than four.
    public static let maximumMarks = 4

    /// The text without control and direction characters; each renderer escapes it for its own format.
    public let plain: String

    /// Creates text from untrusted input, keeping the printable part.
    public init(_ text: String) {
        // Masked before it is truncated: half a card number is no longer recognized and would show too many digits.
        let most = ReceiptText.maximumLength + ReceiptText.longestNumber
        let kept = ReceiptText.isFit(text) ? text : ReceiptText.printable(text, atMost: most)
        plain = ReceiptText.cut(CardNumberMask.masked(kept))
    }

    /// Creates text from an authoritative source (a fiscal signature, a serial number), which is not scanned for card
    /// numbers.
    public init(verbatim text: String) {
        let most = ReceiptText.maximumLength + 1
        plain = ReceiptText.isFit(text) ? text : ReceiptText.cut(ReceiptText.printable(text, atMost: most))
    }

    /// Creates text, or `nil` if none of it is printable.
    public init?(nonEmpty text: String?) {
        guard let text else { return nil }
        self.init(text)
        if plain.isEmpty { return nil }
    }

    /// Creates text truncated to `limit` characters.
    init(_ text: String, atMost limit: Int) {
        let whole = ReceiptText(text).plain
        self.init(own: whole.count > limit ? String(whole.prefix(limit - 1)) + "…" : whole)
    }

    /// Creates text from a literal in Till's own source.
    init(own text: String) { plain = text }

    /// `true` for a long single word such as a payment identifier: set smaller on narrow screens so that it does not
    /// break.
    var isOneLongWord: Bool { plain.utf8.count > 24 && plain.count > 24 && !plain.utf8.contains(0x20) }

    /// `true` for printable ASCII without repeated or surrounding spaces, the common case, which needs no processing.
    private static func isFit(_ text: String) -> Bool {
        var last: UInt8 = 0x20
        var count = 0
        for byte in text.utf8 {
            guard byte >= 0x20, byte < 0x7F, byte != 0x20 || last != 0x20 else { return false }
            last = byte
            count += 1
        }
        return count < maximumLength && (last != 0x20 || count == 0)
    }

    /// The longest card number scanned for, including separators.
    private static let longestNumber = 80

    /// Truncates the text and appends an ellipsis.
    private static func cut(_ text: String) -> String {
        let limit = maximumLength
        guard text.utf8.count > limit, text.unicodeScalars.count > limit else { return text }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: text.unicodeScalars.prefix(limit - 1))
        return String(kept) + "…"
    }

    private static func printable(_ text: String, atMost limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        var count = 0
        var marks = 0
        var isSpacePending = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                isSpacePending = count > 0
                continue
            }
            guard ReceiptText.prints(scalar) || scalar.isSpelling(after: kept.last) else { continue }
            // Stacked marks on one letter would spill over the adjacent lines.
            marks = ReceiptText.isMark(scalar) ? marks + 1 : 0
            guard marks <= maximumMarks else { continue }
            if isSpacePending {
                kept.append(" ")
                count += 1
                isSpacePending = false
            }
            guard count < limit else { break }
            kept.append(scalar)
            count += 1
        }
        return String(kept)
    }

    /// `true` for a combining mark.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func prints(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value >= 0x20, scalar.value < 0x7F { return true }
        return switch scalar.properties.generalCategory {
        // Format characters needed for spelling are checked separately.
        case .format, .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
