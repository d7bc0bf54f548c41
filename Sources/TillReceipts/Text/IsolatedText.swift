/// Bidirectional isolation of adjacent texts on one drawn line, so that none reorders its neighbors.
package enum IsolatedText {
    /// Wraps the text in isolates: left-to-right (U+2066) or right-to-left (U+2067), according to its first letter. A
    /// mark of the same direction precedes it: layout libraries disagree on numbers without a letter that follow
    /// another isolated text, and a telephone number must never be reversed.
    package static func of(_ text: String) -> String {
        isRightToLeft(text) ? "\u{2067}\u{200F}\(text)\u{2069}" : "\u{2066}\u{200E}\(text)\u{2069}"
    }

    /// Removes the isolates from a line of a left-to-right receipt if they have no effect: without characters of
    /// another direction every text keeps its place, and the line is laid out as one run.
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

    /// `true` if the line is composed of isolated texts.
    package static func isPutTogether(_ line: String) -> Bool {
        line.unicodeScalars.first.map { $0 == "\u{2066}" || $0 == "\u{2067}" } ?? false
    }

    /// `true` if the first letter belongs to a right-to-left script.
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
