/// Takes card numbers and codes out of text that will be kept or shown.
public enum CardScrubbing {
    /// What stands where something was taken out.
    public static let mask = "••••"

    /// Masks every run of 12 to 19 or more digits, also when spaces or dashes are between them. Rather too much than
    /// a number too few: such text is for people only.
    public static func withoutNumbers(_ text: String) -> String {
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

    /// Masks the values of a form's fields for the number and the code, then all that could be a number.
    static func form(_ body: String) -> String {
        let pairs = body.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let name = pair[..<equals].replacing("%5B", with: "[").replacing("%5D", with: "]")
            guard name.hasSuffix("[number]") || name.hasSuffix("[cvc]") else { return String(pair) }
            return "\(pair[..<equals])=\(mask)"
        }
        return withoutNumbers(pairs.joined(separator: "&"))
    }
}
