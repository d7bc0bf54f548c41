import TillCore

/// Text that is fit for paper and screen: no control characters (so no ESC sequence reaches a printer), no invisible
/// characters that turn the direction of the text around them, white space joined, and no card number: of digits that
/// could be one the last four stay. Only this type is printed.
public struct ReceiptText: Hashable, Sendable {
    /// Most scalars kept of one text.
    public static let maximumLength = 400
    /// Most marks kept on one character; no language writes more than four.
    public static let maximumMarks = 4

    /// The text without controls and directions; every writer escapes it for its own form.
    public let plain: String

    /// Takes text from anywhere and keeps what prints.
    public init(_ text: String) {
        // Scanned before it is cut: half a number is no number any more, and shows too many digits.
        let most = ReceiptText.maximumLength + ReceiptText.longestNumber
        let kept = ReceiptText.isFit(text) ? text : ReceiptText.printable(text, atMost: most)
        plain = ReceiptText.cut(CardNumberMask.masked(kept))
    }

    /// Takes text from an authority (a fiscal signature, a serial), which is not scanned for card numbers.
    public init(verbatim text: String) {
        let most = ReceiptText.maximumLength + 1
        plain = ReceiptText.isFit(text) ? text : ReceiptText.cut(ReceiptText.printable(text, atMost: most))
    }

    /// The text, or `nil` if nothing of it prints.
    public init?(nonEmpty text: String?) {
        guard let text else { return nil }
        self.init(text)
        if plain.isEmpty { return nil }
    }

    /// The text cut to this many characters.
    init(_ text: String, atMost limit: Int) {
        let whole = ReceiptText(text).plain
        self.init(own: whole.count > limit ? String(whole.prefix(limit - 1)) + "…" : whole)
    }

    /// Text of our own source.
    init(own text: String) { plain = text }

    /// A number of a payment and the like: smaller on narrow screens, so that it is not parted.
    var isOneLongWord: Bool { plain.utf8.count > 24 && plain.count > 24 && !plain.utf8.contains(0x20) }

    /// Printable ASCII without joined or outer spaces needs no work: most texts are like that.
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

    /// A card's number with as many separators as are scanned.
    private static let longestNumber = 80

    /// The text, with an ellipsis in the place of what is too much.
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
            // A heap of marks on one letter would grow over the lines around it.
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

    /// Sits on the character before it.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func prints(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value >= 0x20, scalar.value < 0x7F { return true }
        return switch scalar.properties.generalCategory {
        // Those that spell are asked for apart.
        case .format, .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
