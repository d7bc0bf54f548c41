/// A field's text and the caret in it.
public struct FormattedEntry: Hashable, Sendable {
    /// The text to display.
    public var text: String
    /// The caret position in UTF-16 code units, as in text fields and browsers.
    public var caret: Int

    /// Creates an entry from a text and a caret.
    public init(text: String, caret: Int) {
        self.text = text
        self.caret = caret
    }

    /// Number of digits before the caret.
    var digitsBeforeCaret: Int {
        var units = 0
        var digits = 0
        for scalar in text.unicodeScalars.prefix(TypedDigits.maximumScalars) {
            if units >= caret { break }
            units += scalar.value > 0xFFFF ? 2 : 1
            if TypedDigits.value(of: scalar) != nil { digits += 1 }
        }
        return min(digits, TypedDigits.maximum)
    }
}
