/// Texts beside other texts on one drawn line, each in its own direction, so that none turns what stands around it.
package enum IsolatedText {
    /// The text between marks that keep it apart: of left to right (U+2066) or right to left (U+2067), as its first
    /// letter is. A mark of the same direction goes before it: layout libraries differ on numbers without a letter that
    /// follow another isolated text, and a telephone number must never be turned round.
    package static func of(_ text: String) -> String {
        isRightToLeft(text) ? "\u{2067}\u{200F}\(text)\u{2069}" : "\u{2066}\u{200E}\(text)\u{2069}"
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
