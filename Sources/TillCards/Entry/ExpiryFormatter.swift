/// Formats an expiry as `MM / YY` while it is typed. Pure and idempotent.
public enum ExpiryFormatter {
    /// Maximum digits displayed: a month and a four-digit year.
    public static let maximumDigits = 6

    /// Formats a field after an edit. A first digit of 2 to 9 can only be a month, so it becomes `02` to `09`.
    public static func format(_ entry: FormattedEntry) -> FormattedEntry {
        var digits = String(TypedDigits.digits(in: entry.text).prefix(maximumDigits))
        var before = min(entry.digitsBeforeCaret, digits.utf8.count)
        if let month = Int(digits.suffix(2)), digits.utf8.count == 6, ["20", "21"].contains(digits.prefix(2)),
            (1...12).contains(month)
        {
            // Pasted as 2030-12.
            digits = String(digits.suffix(2) + digits.prefix(4))
            before = digits.utf8.count
        } else if let first = digits.utf8.first, first >= 0x32 {
            digits = String(("0" + digits).prefix(maximumDigits))
            if before > 0 { before = min(before + 1, digits.utf8.count) }
        } else if isShortMonth(entry.text, digits) {
            digits = String(("0" + digits).prefix(maximumDigits))
            if before > 0 { before = min(before + 1, digits.utf8.count) }
        }
        let separator = " / "
        guard digits.utf8.count > 2 else { return FormattedEntry(text: digits, caret: before) }
        let text = digits.prefix(2) + separator + digits.dropFirst(2)
        return FormattedEntry(text: String(text), caret: before <= 2 ? before : before + separator.utf16.count)
    }

    /// Formats a text with the caret at its end.
    public static func format(_ text: String) -> String {
        format(FormattedEntry(text: text, caret: text.utf16.count)).text
    }

    /// `1/` completes the month.
    private static func isShortMonth(_ text: String, _ digits: String) -> Bool {
        guard digits.utf8.first == 0x31 else { return false }
        let scalars = text.unicodeScalars.drop { TypedDigits.value(of: $0) == nil }.dropFirst()
        guard let next = scalars.first else { return false }
        return next == "/" || next == "\u{FF0F}"
    }
}
