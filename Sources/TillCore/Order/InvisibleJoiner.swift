extension Unicode.Scalar {
    /// Returns `true` for an invisible character that is part of the spelling: the zero-width joiner, which holds an
    /// emoji together and shapes letters, and the zero-width non-joiner after a letter of a joining script such as
    /// Persian. Other invisible characters only mislead, as do these between digits.
    /// - Parameter before: The scalar kept before it.
    package func isSpelling(after before: Unicode.Scalar?) -> Bool {
        if self == "\u{200D}" { return true }
        guard self == "\u{200C}", let before, !before.isASCII else { return false }
        switch before.properties.generalCategory {
        case .otherLetter, .nonspacingMark, .spacingMark: return true
        default: return false
        }
    }
}
