public import TillCore

/// Which PINs are taken.
public struct PINPolicy: Hashable, Sendable {
    /// Digits of the shortest PIN that a shop may allow.
    public static let fewestDigits = 4
    /// Digits of the longest.
    public static let maximumDigits = 12
    /// Digits that one needs unless the shop says otherwise. ASVS 5 (6.2.1) counts a PIN as a password and wants 8.
    public static let defaultDigits = 6

    public let minimumDigits: Int

    /// - Parameter minimumDigits: brought into what may be allowed.
    public init(minimumDigits: Int = PINPolicy.defaultDigits) {
        self.minimumDigits = min(max(minimumDigits, PINPolicy.fewestDigits), PINPolicy.maximumDigits)
    }

    /// - Throws: ``StaffError/invalidPIN(digits:)``, and ``StaffError/weakPIN`` for one digit repeated and for digits
    ///   that count up or down.
    public func check(_ pin: Secret<String>) throws(StaffError) {
        let digits = Array(pin.reveal().utf8)
        guard (minimumDigits...PINPolicy.maximumDigits).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .invalidPIN(digits: minimumDigits) }
        let steps = Set(zip(digits, digits.dropFirst()).map { Int($1) - Int($0) })
        guard steps != [0], steps != [1], steps != [-1] else { throw .weakPIN }
    }
}
