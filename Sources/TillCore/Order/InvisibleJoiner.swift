extension Unicode.Scalar {
    /// A character that nobody sees and that is part of the spelling: the zero-width joiner, which holds an emoji
    /// together and shapes letters, and the zero-width non-joiner behind a letter of a script whose letters join, such
    /// as Persian's. Other characters of this kind only mislead the eye, and so do these between digits.
    /// - Parameter before: what was kept before it.
    package func isSpelling(after before: Unicode.Scalar?) -> Bool {
        if self == "\u{200D}" { return true }
        guard self == "\u{200C}", let before, !before.isASCII else { return false }
        switch before.properties.generalCategory {
        case .otherLetter, .nonspacingMark, .spacingMark: return true
        default: return false
        }
    }
}
