/// Texts beside other texts on one drawn line, each in its own direction, so that none turns what stands around it.
package enum IsolatedText {
    /// The text between marks that keep it apart: of left to right (U+2066) or right to left (U+2067), as its first
    /// letter is. A mark of the same direction goes before it: layout libraries differ on numbers without a letter that
    /// follow another isolated text, and a telephone number must never be turned round.
    package static func of(_ text: String) -> String {
        isRightToLeft(text) ? "\u{2067}\u{200F}\(text)\u{2069}" : "\u{2066}\u{200E}\(text)\u{2069}"
    }

    /// A line of such texts in a receipt that is written from left to right, without the marks where they can change
    /// nothing: where no character is of another direction, every one stands where it would without them, and the line
    /// is laid out as one.
    package static func unmarked(_ line: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            switch scalar.value {
            case 0x2066, 0x200E, 0x2069: continue
            // Letters up to Armenian, punctuation, currency signs.
            case ..<0x0590, 0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20BF: plain.append(scalar)
            default: return line
            }
        }
        return String(plain)
    }

    /// Whether a line was put together of such texts.
    package static func isPutTogether(_ line: String) -> Bool {
        line.unicodeScalars.first.map { $0 == "\u{2066}" || $0 == "\u{2067}" } ?? false
    }

    /// Whether the first letter belongs to a script that is written from right to left.
    static func isRightToLeft(_ text: String) -> Bool {
        for scalar in text.unicodeScalars where scalar.properties.isAlphabetic {
            return switch scalar.value {
            case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: true
            default: false
            }
        }
        return false
    }
}
