/// Text that is fit for paper and screen: no control characters (so no ESC sequence reaches a printer), no invisible
/// characters that turn the direction of the text around them, white space joined. Only this type is printed.
public struct ReceiptText: Hashable, Sendable {
    /// Most scalars kept of one text.
    public static let maximumLength = 400

    /// The text itself.
    public let plain: String

    /// Takes text from anywhere and keeps what prints.
    public init(_ text: String) {
        var kept = String.UnicodeScalarView()
        var count = 0
        var isSpacePending = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                isSpacePending = count > 0
                continue
            }
            guard ReceiptText.prints(scalar) else { continue }
            if isSpacePending {
                kept.append(" ")
                count += 1
                isSpacePending = false
            }
            guard count < ReceiptText.maximumLength - 1 else {
                kept.append("…")
                break
            }
            kept.append(scalar)
            count += 1
        }
        plain = String(kept)
    }

    /// The text, or `nil` if nothing of it prints.
    init?(nonEmpty text: String?) {
        guard let text else { return nil }
        self.init(text)
        if plain.isEmpty { return nil }
    }

    private static func prints(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // A zero-width joiner holds an emoji together; the other invisible ones only mislead the eye.
        case .format: scalar == "\u{200D}"
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
