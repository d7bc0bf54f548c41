/// Parsing of typed digits, in any script.
public enum TypedDigits {
    /// Maximum number of digits read from one text; the rest is ignored.
    public static let maximum = 40
    /// The longest text examined, in Unicode scalars.
    public static let maximumScalars = 512

    /// Returns 0...9 for a decimal digit of any script: ASCII, Arabic-Indic, Bengali, Devanagari, full width, … `nil`
    /// for everything else; fractions, superscripts and Roman numerals are not digits.
    public static func value(of scalar: Unicode.Scalar) -> UInt8? {
        if scalar.value < 0x80 {
            return scalar.value >= 0x30 && scalar.value <= 0x39 ? UInt8(scalar.value - 0x30) : nil
        }
        guard scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue else {
            return nil
        }
        return UInt8(exactly: value)
    }

    /// Returns `true` for common digit separators: any white space and any dash, dot or middle dot.
    public static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return scalar == " " || scalar == "-" || scalar == "." || scalar == "\t" }
        return scalar.properties.isWhitespace || scalar.properties.isDash || scalar == "\u{B7}"
    }

    /// Returns the digits of a text as ASCII, at most ``maximum`` of them; everything else is dropped.
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

    /// Returns the digits of a text that consists of digits and separators only; `nil` otherwise.
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
