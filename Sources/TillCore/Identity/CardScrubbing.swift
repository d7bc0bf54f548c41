/// Removes card numbers and security codes from text that will be stored or displayed.
public enum CardScrubbing {
    /// The replacement for removed text.
    public static let mask = "••••"

    /// Masks every run of 12 to 19 or more digits, including runs with spaces or dashes, and card numbers in any
    /// notation (``CardNumberMask``). Errs on the side of masking too much: such text is for people only.
    public static func withoutNumbers(_ text: String) -> String {
        let text = CardNumberMask.masked(text)
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
