import TillCore
import TillFeatureDay

/// Amounts of cash on the command line.
enum DayAmount {
    /// The maximum size of the key of a movement, in bytes.
    static let maximumKeyBytes = 255

    /// Reads an amount in major units.
    /// - Returns: The amount in minor units, from zero to ``DayLimits/maximumAmount``.
    static func read(_ text: String, in currency: Currency, of name: String) throws(CommandError) -> Int64 {
        let money: Money
        do throws(MoneyError) { money = try Money(parsing: text, currency: currency) } catch {
            throw refused(name, "cannot be read: \(error)")
        }
        guard (0...DayLimits.maximumAmount).contains(money.minorUnits) else {
            throw refused(name, "is below zero, or too large")
        }
        return money.minorUnits
    }

    static func refused(_ name: String, _ why: String) -> CommandError {
        CommandError(
            code: "invalid_amount",
            what: "\(name) \(why.hasSuffix(".") ? String(why.dropLast()) : why). Nothing changed.",
            next: "Give an amount such as 12.50.")
    }

    static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.lowercase((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
