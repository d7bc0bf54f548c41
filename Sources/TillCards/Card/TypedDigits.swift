/// Digits as people type them, in any script.
public enum TypedDigits {
    /// The most digits that are taken from one text; what comes after them is not read.
    public static let maximum = 40
    /// The longest text that is examined, in Unicode scalars.
    public static let maximumScalars = 512

    /// 0...9 for a decimal digit of any script: ASCII, Arabic-Indic, Bengali, Devanagari, full width, …
    /// `nil` for everything else; fractions, superscripts and Roman numerals are no digits.
    public static func value(of scalar: Unicode.Scalar) -> UInt8? {
        if scalar.value < 0x80 {
            return scalar.value >= 0x30 && scalar.value <= 0x39 ? UInt8(scalar.value - 0x30) : nil
        }
        guard scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue else {
            return nil
        }
        return UInt8(exactly: value)
    }

    /// True for what people put between digits: any white space and any dash, dot or middle dot.
    public static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return scalar == " " || scalar == "-" || scalar == "." || scalar == "\t" }
        return scalar.properties.isWhitespace || scalar.properties.isDash || scalar == "\u{B7}"
    }

    /// The digits of a text as ASCII digits, at most ``maximum`` of them; everything else is left out.
    public static func digits(in text: String) -> String {
        var digits = ""
        var count = 0
        for scalar in text.unicodeScalars.prefix(maximumScalars) {
            guard let value = value(of: scalar) else { continue }
            guard count < maximum else { break }
            digits.unicodeScalars.append(Unicode.Scalar(0x30 + value))
            count += 1
        }
        return digits
    }

    /// The digits of a text that holds nothing but digits and separators; `nil` if it holds anything else.
    static func strictDigits(in text: String) -> String? {
        var digits = ""
        for scalar in text.unicodeScalars.prefix(maximumScalars + 1) {
            if let value = value(of: scalar) {
                digits.unicodeScalars.append(Unicode.Scalar(0x30 + value))
            } else if !isSeparator(scalar) {
                return nil
            }
        }
        return digits
    }
}
