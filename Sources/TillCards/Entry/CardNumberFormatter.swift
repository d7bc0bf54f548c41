/// Formats a card number in printed groups while it is typed.
///
/// A pure function of text and caret. It neither loses nor reorders any of the first ``TypedDigits/maximum`` digits,
/// keeps the caret behind the same digit, and is idempotent.
public enum CardNumberFormatter {
    /// Formats a field after an edit. Digits of any script become ASCII digits; everything else is removed.
    public static func format(_ entry: FormattedEntry) -> FormattedEntry {
        let digits = TypedDigits.digits(in: entry.text)
        let count = digits.utf8.count
        let groups =
            CardBrandTable.likeliest(for: digits)?.groups(forDigits: count) ?? CardBrandProfile.commonGroups
        let before = min(entry.digitsBeforeCaret, count)
        var text = ""
        text.reserveCapacity(count + groups.count)
        var caret = 0
        var group = 0
        var inGroup = 0
        for (index, byte) in digits.utf8.enumerated() {
            if group < groups.count, inGroup == groups[group] {
                text.append(" ")
                group += 1
                inGroup = 0
            }
            text.unicodeScalars.append(Unicode.Scalar(byte))
            inGroup += 1
            if index + 1 == before { caret = text.utf16.count }
        }
        return FormattedEntry(text: text, caret: caret)
    }

    /// Formats a text with the caret at its end.
    public static func format(_ text: String) -> String {
        format(FormattedEntry(text: text, caret: text.utf16.count)).text
    }

    /// Replaces `removed` digits before the caret with `inserted`. With nothing to insert it deletes backwards across
    /// group gaps: the digit before the gap is removed.
    public static func edit(_ entry: FormattedEntry, removing removed: Int, typing inserted: String) -> FormattedEntry {
        let digits = TypedDigits.digits(in: entry.text)
        let before = min(entry.digitsBeforeCaret, digits.utf8.count)
        let kept = max(0, before - max(0, removed))
        let typed = TypedDigits.digits(in: inserted)
        let text = String(digits.prefix(kept)) + typed + String(digits.dropFirst(before))
        return format(FormattedEntry(text: text, caret: kept + typed.utf8.count))
    }
}
