public import TillCore

/// The rules for acceptable PINs.
public struct PINPolicy: Hashable, Sendable {
    /// The smallest minimum length that a shop can configure, in digits.
    public static let fewestDigits = 4
    /// The maximum PIN length, in digits.
    public static let maximumDigits = 12
    /// The default minimum length, in digits. ASVS 5 (6.2.1) treats a PIN as a password and asks for 8.
    public static let defaultDigits = 6

    public let minimumDigits: Int

    /// - Parameter minimumDigits: the minimum length; clamped to the allowed range.
    public init(minimumDigits: Int = PINPolicy.defaultDigits) {
        self.minimumDigits = min(max(minimumDigits, PINPolicy.fewestDigits), PINPolicy.maximumDigits)
    }

    /// Checks a PIN against the policy.
    /// - Throws: ``StaffError/invalidPIN(digits:)`` for a wrong length or a character other than a digit, and
    ///   ``StaffError/weakPIN`` for one repeated digit and for digits that count up or down.
    public func check(_ pin: Secret<String>) throws(StaffError) {
        let digits = Array(pin.reveal().utf8)
        guard (minimumDigits...PINPolicy.maximumDigits).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .invalidPIN(digits: minimumDigits) }
        let steps = Set(zip(digits, digits.dropFirst()).map { Int($1) - Int($0) })
        guard steps != [0], steps != [1], steps != [-1] else { throw .weakPIN }
    }
}
