/// The check digit of card numbers (ISO/IEC 7812-1, annex B).
///
/// ```swift
/// let typed = "4242 4242 4242 4241".filter { $0 != " " }
/// if !LuhnChecksum.isValid(typed) {
///     print("Check the card number for a typing mistake.")
/// }
/// ```
public enum LuhnChecksum {
    /// Returns `true` if the check digit is valid; `false` for anything but ASCII digits, and for no digits at all.
    public static func isValid(_ digits: some BidirectionalCollection<UInt8>) -> Bool {
        guard !digits.isEmpty else { return false }
        var sum = 0
        var doubles = false
        for byte in digits.reversed() {
            guard byte >= 0x30, byte <= 0x39 else { return false }
            let digit = Int(byte) - 0x30
            sum += doubles ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit
            doubles.toggle()
        }
        return sum % 10 == 0
    }

    /// Returns `true` if the check digit of a text of ASCII digits is valid.
    public static func isValid(_ digits: String) -> Bool { isValid(digits.utf8) }
}
