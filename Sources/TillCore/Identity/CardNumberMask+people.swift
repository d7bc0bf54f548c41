extension CardNumberMask {
    /// The replacement for a number in text for people.
    public static let mask = "••••"

    /// Masks card numbers, and every other run of 12 digits or more, including runs with spaces or dashes. Errs on the
    /// side of masking too much: such text is for people only.
    public static func maskedForPeople(_ text: String) -> String {
        let text = masked(text)
        guard text.utf8.count(where: { $0 >= 0x30 && $0 <= 0x39 }) >= 12 else { return text }
        var result = ""
        var run = ""
        var digits = 0
        func flush() {
            if digits >= 12 {
                result += mask
                // What separated the number from the next word stays.
                result += String(run.reversed().prefix { $0 == " " || $0 == "-" })
            } else {
                result += run
            }
            run = ""
            digits = 0
        }
        for character in text {
            if character.isASCII, character.isNumber {
                run.append(character)
                digits += 1
            } else if digits > 0, character == " " || character == "-" {
                run.append(character)
            } else {
                flush()
                result.append(character)
            }
        }
        flush()
        return result
    }
}
