/// A field's text and the caret in it.
public struct FormattedEntry: Hashable, Sendable {
    /// The text to show.
    public var text: String
    /// Where the caret stands: how many UTF-16 code units are before it, as text fields and browsers count.
    public var caret: Int

    /// A text and a caret.
    public init(text: String, caret: Int) {
        self.text = text
        self.caret = caret
    }

    /// How many digits stand before the caret.
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
