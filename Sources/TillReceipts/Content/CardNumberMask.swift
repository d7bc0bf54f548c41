import TillCore

/// Finds digits that could be a card's number (13 to 19 of them in any script's digits, spaces, points, dashes and
/// slashes allowed between, a card's first digits, a right check digit) and leaves the last four. A shop's free text is
/// where such numbers leak onto paper.
enum CardNumberMask {
    /// A digit of a text, as ASCII, and where it stands.
    private struct Digit {
        let ascii: UInt8
        let place: Int
    }

    /// The text with such numbers masked.
    static func masked(_ text: String) -> String {
        guard mayHoldNumber(text) else { return text }
        var scalars = Array(text.unicodeScalars)
        var start = 0
        while start < scalars.count {
            guard digit(scalars[start]) != nil, start == 0 || digit(scalars[start - 1]) == nil else {
                start += 1
                continue
            }
            let run = digits(from: start, in: scalars)
            if let length = cardLength(run) {
                for found in run.prefix(length - 4) { scalars[found.place] = "*" }
                start = (run.prefix(length).last?.place ?? start) + 1
            } else {
                start += 1
            }
        }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: scalars)
        return String(kept)
    }

    /// Almost no text has thirteen digits; ASCII is counted without decoding.
    private static func mayHoldNumber(_ text: String) -> Bool {
        var ascii = 0
        var others = 0
        for byte in text.utf8 {
            if byte >= 0x30, byte <= 0x39 { ascii += 1 } else if byte >= 0xC0 { others += 1 }
        }
        return ascii + others >= 13
    }

    /// A decimal digit of any script as ASCII.
    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        if scalar.value < 0x80 {
            return scalar.value >= 0x30 && scalar.value <= 0x39 ? UInt8(scalar.value) : nil
        }
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
        return (0...9).contains(value) ? 0x30 + UInt8(value) : nil
    }

    /// Where the digits of one number stand: one separator may be between two of them, or a dash between two spaces.
    private static func digits(from start: Int, in scalars: [Unicode.Scalar]) -> [Digit] {
        var found: [Digit] = []
        var index = start
        var between = 0
        while index < scalars.count, found.count < 32 {
            if let value = digit(scalars[index]) {
                found.append(Digit(ascii: value, place: index))
                between = 0
            } else {
                between += 1
                if between > 3 || !isSeparator(scalars[index]) { break }
            }
            index += 1
        }
        return found
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "-", ".", "/", "_", ",", "\u{A0}", "\u{B7}", "\u{30FB}", "\u{3000}", "\u{FF0D}": true
        default: scalar.properties.generalCategory == .dashPunctuation
        }
    }

    /// How many of the first digits make a card's number; the longest if several do. A number ends where its
    /// group of digits does.
    private static func cardLength(_ run: [Digit]) -> Int? {
        guard run.count >= 13 else { return nil }
        let digits = run.map(\.ascii)
        for length in stride(from: min(19, digits.count), through: 13, by: -1) {
            let isInGroup = length < run.count && run[length].place == run[length - 1].place + 1
            guard !isInGroup, lengths(digits).contains(length) else { continue }
            if LuhnChecksum.isValid(digits.prefix(length)) { return length }
        }
        return nil
    }

    /// How long the numbers are that begin like this; none if no card's do.
    private static func lengths(_ digits: [UInt8]) -> ClosedRange<Int> {
        let four = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) - 0x30 }
        return switch four {
        case 3400...3499, 3700...3799: 15...15
        case 5100...5599, 2221...2720: 16...16
        case 3000...3059, 3600...3699, 3800...3999: 14...19
        case 3528...3589, 6000...6999: 16...19
        case 4000...4999, 5000...5099, 5600...5899: 13...19
        default: 0...0
        }
    }
}
