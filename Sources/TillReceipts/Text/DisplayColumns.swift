/// Measures and wraps text in fixed columns, on paper or in a terminal.
enum DisplayColumns {
    /// Returns the columns of a text: 2 for wide East Asian characters and emoji, 0 for combining marks.
    static func count(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + count($1) } }

    /// Returns the columns of one character; in doubt, the larger value.
    static func count(_ character: Character) -> Int {
        var width = 0
        var isEmojiStyle = false
        for scalar in character.unicodeScalars {
            width += count(scalar)
            isEmojiStyle = isEmojiStyle || scalar == "\u{FE0F}"
        }
        return isEmojiStyle ? max(2, width) : width
    }

    private static func count(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615,
            0x2648...0x2653, 0x267F, 0x2693, 0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE,
            0x26D4, 0x26EA, 0x26F2...0x26F5, 0x26FA, 0x26FD, 0x2705, 0x270A...0x270B, 0x2728, 0x274C, 0x274E,
            0x2753...0x2757, 0x2795...0x2797, 0x27B0, 0x27BF, 0x2B1B...0x2B1C, 0x2B50, 0x2B55, 0x2E80...0x303E,
            0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF,
            0x1F004, 0x1F0CF, 0x1F18E, 0x1F191...0x1F19A, 0x1F1E6...0x1F320, 0x1F32D...0x1F64F, 0x1F680...0x1F6FF,
            0x1F7E0...0x1F7F0, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// Wraps text into lines of at most `width` columns, breaking at spaces, and within a word only if it exceeds a
    /// line.
    static func wrap(_ text: String, width: Int) -> [String] {
        let width = max(2, width)
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in text.split(separator: " ") {
            let length = count(word)
            if used > 0, used + 1 + length <= width {
                line += " " + word
                used += 1 + length
                continue
            }
            if used > 0 { lines.append(line) }
            line = ""
            used = 0
            for character in word {
                let columns = count(character)
                // A sequence of joined emoji wider than the paper cannot be shown.
                if columns > width { continue }
                if used + columns > width {
                    lines.append(line)
                    line = ""
                    used = 0
                }
                line.append(character)
                used += columns
            }
        }
        if used > 0 { lines.append(line) }
        return lines
    }
}
