/// Finds card numbers in free text of a shop or a customer and masks all but their last four digits.
///
/// A card number is a run of 13 to 19 digits of any script with a payment network's prefix and length and a valid check
/// digit (ISO/IEC 7812-1). Up to three separators may come between two digits: white space, line breaks, dashes,
/// points, commas, slashes, colons and the like; zero-width characters are ignored. Each may be percent-encoded, as in
/// URLs. Other text is left unchanged: of a shop's own numbers of 13 or more digits, only those with a card prefix can
/// match, and of these every tenth.
///
/// A machine-generated name, such as a provider's identifier of a capture, is not free text: many are hexadecimal and
/// contain as many consecutive digits now and then. In such a name, only a number without a letter directly before or
/// after it is a card number.
///
/// A UUID, or 32 hexadecimal digits and more with letters among them, is no card number in any text: one in 1,300
/// random UUIDs would read as one.
public enum CardNumberMask {
    /// The origin of a text.
    private enum Source { case person, machine }

    /// The possible lengths of card numbers.
    private static let counts = 13...19
    /// The most separators between two digits.
    private static let mostSeparators = 3
    /// The most digits examined from one position: two consecutive numbers.
    private static let mostDigits = 40

    /// A digit of a text, as ASCII, and its position.
    private struct Digit {
        let ascii: UInt8
        let place: Int
    }

    /// Returns the text with card numbers masked.
    public static func masked(_ text: String) -> String { search(text, as: .person) }

    /// Returns `true` if the text contains a card number.
    public static func finds(in text: String) -> Bool { mayHoldNumber(text) && masked(text) != text }

    /// Returns a machine-generated name with card numbers masked.
    public static func maskedName(_ name: String) -> String { search(name, as: .machine) }

    /// Returns `true` if a machine-generated name contains a card number.
    public static func finds(inName name: String) -> Bool { maskedName(name) != name }

    private static func search(_ text: String, as source: Source) -> String {
        guard mayHoldNumber(text) else { return text }
        var scalars = Array(text.unicodeScalars)
        var isMasked = false
        var start = 0
        while start < scalars.count {
            if let end = randomName(at: start, in: scalars) {
                start = end
                continue
            }
            guard digit(character(at: start, in: scalars).scalar) != nil,
                start == 0 || digit(scalars[start - 1]) == nil,
                source == .person || start == 0 || !scalars[start - 1].properties.isAlphabetic
            else {
                start += 1
                continue
            }
            let run = digits(from: start, in: scalars)
            let isEnd = { (digit: Digit) in
                let next = digit.place + 1
                return source == .person || next >= scalars.count || !scalars[next].properties.isAlphabetic
            }
            if let length = cardLength(run[...], isEnd) {
                isMasked = true
                for found in run.prefix(length - 4) { scalars[found.place] = "*" }
                // The text directly after it is examined too, but is no longer part of a longer number.
                start = run.prefix(length).last.map { $0.place + 1 } ?? start + 1
                if let next = run.dropFirst(length).first, next.place == start,
                    let second = cardLength(run.dropFirst(length), isEnd)
                {
                    for found in run.dropFirst(length).prefix(second - 4) { scalars[found.place] = "*" }
                }
            } else {
                start += 1
            }
        }
        guard isMasked else { return text }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: scalars)
        return String(kept)
    }

    /// The offsets of the dashes in a UUID.
    private static let dashes = [8, 13, 18, 23]
    private static let lengthOfUUID = 36
    /// The least length of other random names in hexadecimal: 128 bits.
    private static let leastHexadecimal = 32
    /// The least number of letters in a UUID; a random one has eleven on average.
    private static let leastLetters = 4

    /// Returns the end of the UUID or of the hexadecimal name that begins at a position as a word of its own; `nil` if
    /// there is none.
    static func randomName(at start: Int, in scalars: [Unicode.Scalar]) -> Int? {
        guard start == 0 || !isPartOfWord(scalars[start - 1]) else { return nil }
        var end = start
        var letters = 0
        var found: [Int] = []
        scan: while end < scalars.count {
            switch scalars[end] {
            case "0"..."9": break
            case "a"..."f", "A"..."F": letters += 1
            case "-" where dashes.contains(end - start): found.append(end - start)
            default: break scan
            }
            end += 1
        }
        let length = end - start
        guard end == scalars.count || !isPartOfWord(scalars[end]) else { return nil }
        let isUUID = length == lengthOfUUID && found == dashes && letters >= leastLetters
        let isHexadecimal = length >= leastHexadecimal && found.isEmpty && letters * 5 >= length
        return isUUID || isHexadecimal ? end : nil
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "a"..."z", "A"..."Z": true
        default: scalar.value >= 0x80
        }
    }

    /// Returns `false` if no run of digits is long enough for a card number, which holds for almost every text, and for
    /// most keys and names in hexadecimal. ASCII is examined without decoding.
    private static func mayHoldNumber(_ text: String) -> Bool {
        var digits = 0
        var between = 0
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39:
                digits += 1
                between = 0
                if digits >= counts.lowerBound { return true }
            case 0x25, 0x80...: return possibleDigits(in: text) >= fewestDigits
            case 0x41...0x5A, 0x61...0x7A: digits = 0
            default:
                between += 1
                if between > mostSeparators || !isSeparator(Unicode.Scalar(byte)) { digits = 0 }
            }
        }
        return false
    }

    /// The number of digits in the shortest card number.
    static var fewestDigits: Int { counts.lowerBound }

    /// Returns an upper bound of the digits in a text, of any script and percent-encoded ones included.
    static func possibleDigits(in text: String) -> Int {
        var ascii = 0
        var others = 0
        for byte in text.utf8 {
            if byte >= 0x30, byte <= 0x39 { ascii += 1 } else if byte >= 0xC0 { others += 1 }
        }
        return ascii + others
    }

    /// Returns the ASCII equivalent of a decimal digit of any script.
    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        if scalar.value < 0x80 {
            return scalar.value >= 0x30 && scalar.value <= 0x39 ? UInt8(scalar.value) : nil
        }
        guard let value = scalar.properties.numericValue, (0...9).contains(value), value == Double(UInt8(value)),
            scalar.properties.numericType != .numeric
        else { return nil }
        return 0x30 + UInt8(value)
    }

    /// Returns the digits that can belong to one number, or to two consecutive ones.
    private static func digits(from start: Int, in scalars: [Unicode.Scalar]) -> [Digit] {
        var found: [Digit] = []
        var index = start
        var between = 0
        while index < scalars.count, found.count < mostDigits {
            let (scalar, length) = character(at: index, in: scalars)
            if let value = digit(scalar) {
                found.append(Digit(ascii: value, place: index + length - 1))
                between = 0
            } else if !hasNoWidth(scalar) {
                between += 1
                if between > mostSeparators || !isSeparator(scalar) { break }
            }
            index += length
        }
        return found
    }

    /// Returns the character at a position and its length in scalars: `%20` is one space of length three.
    private static func character(
        at place: Int, in scalars: [Unicode.Scalar]
    ) -> (scalar: Unicode.Scalar, length: Int) {
        guard scalars[place] == "%", place + 2 < scalars.count,
            let high = hexadecimal(scalars[place + 1]), let low = hexadecimal(scalars[place + 2])
        else { return (scalars[place], 1) }
        return (Unicode.Scalar(high << 4 | low), 3)
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "0"..."9": UInt8(scalar.value - 0x30)
        case "a"..."f", "A"..."F": UInt8((scalar.value | 0x20) - 0x61 + 10)
        default: nil
        }
    }

    /// Returns `true` for joiners, direction marks, soft hyphens and variation selectors.
    private static func hasNoWidth(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80
            && (scalar.properties.generalCategory == .format || scalar.properties.isDefaultIgnorableCodePoint)
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "-", ".", "/", "_", ",", ":", ";", "|", "+", "~", "\\", "'", "\"", "\u{B7}", "\u{2022}", "\u{30FB}": true
        default: scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation
        }
    }

    /// Returns the number of leading digits that form a card number; the longest if several do. A number ends at the
    /// end of its group of digits, or at the start of another number that extends to the end of the group.
    private static func cardLength(_ run: ArraySlice<Digit>, _ isEnd: (Digit) -> Bool) -> Int? {
        guard run.count >= counts.lowerBound else { return nil }
        for length in stride(from: min(counts.upperBound, run.count), through: counts.lowerBound, by: -1)
        where isNumber(run.prefix(length)) {
            let last = run[run.startIndex + length - 1]
            let behind = group(of: run.dropFirst(length), behind: last.place)
            guard isEnd(behind.last ?? last) else { continue }
            if behind.isEmpty || isNumber(behind) { return length }
        }
        return nil
    }

    /// Returns the digits that follow without a separator.
    private static func group(of run: ArraySlice<Digit>, behind place: Int) -> ArraySlice<Digit> {
        var next = place
        return run.prefix { digit in
            next += 1
            return digit.place == next
        }
    }

    private static func isNumber(_ run: ArraySlice<Digit>) -> Bool {
        let digits = run.map(\.ascii)
        return lengths(digits).contains(digits.count) && LuhnChecksum.isValid(digits)
    }

    /// Returns the possible lengths of card numbers with these leading digits; none if no card has them.
    private static func lengths(_ digits: [UInt8]) -> ClosedRange<Int> {
        guard digits.count >= counts.lowerBound else { return 0...0 }
        let four = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) - 0x30 }
        return switch four {
        case 3400...3499, 3700...3799: 15...15
        case 5100...5599, 2221...2720, 9792: 16...16
        case 3000...3059, 3600...3699, 3800...3999: 14...19
        case 2200...2204, 3528...3589, 6000...6999, 8100...8171: 16...19
        case 4000...4999, 5000...5099, 5600...5899: 13...19
        default: 0...0
        }
    }
}
