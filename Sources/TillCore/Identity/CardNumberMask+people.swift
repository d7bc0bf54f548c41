extension CardNumberMask {
    /// The replacement for a number in text for people.
    public static let mask = "••••"

    /// Masks card numbers, and every other run of 12 digits or more, including runs with spaces or dashes. Errs on the
    /// side of masking too much: such text is for people only. UUIDs and hexadecimal digests stay whole.
    public static func maskedForPeople(_ text: String) -> String {
        let text = masked(text)
        guard text.utf8.count(where: { $0 >= 0x30 && $0 <= 0x39 }) >= 12 else { return text }
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var run: [Unicode.Scalar] = []
        var digits = 0
        func flush() {
            if digits >= 12 {
                result.append(contentsOf: mask.unicodeScalars)
                // What separated the number from the next word stays.
                result.append(contentsOf: run.suffix(run.reversed().prefix { $0 == " " || $0 == "-" }.count))
            } else {
                result.append(contentsOf: run)
            }
            run = []
            digits = 0
        }
        var index = 0
        while index < scalars.count {
            if let end = randomName(at: index, in: scalars) {
                flush()
                result.append(contentsOf: scalars[index..<end])
                index = end
                continue
            }
            switch scalars[index] {
            case "0"..."9":
                run.append(scalars[index])
                digits += 1
            case " " where digits > 0, "-" where digits > 0:
                run.append(scalars[index])
            default:
                flush()
                result.append(scalars[index])
            }
            index += 1
        }
        flush()
        return String(result)
    }
}
