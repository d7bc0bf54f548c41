/// An exact amount: a whole number of a currency's minor units.
///
/// ```swift
/// let coffee = Money(minorUnits: 350, currency: .eur)
/// let cake = try Money(parsing: "9.00", currency: .eur)
/// let total = try coffee.adding(cake)
/// print(total)  // 12.50 EUR
/// ```
///
/// 12.50 EUR is 1250; 12 JPY is 12. There is no conversion from or to a floating-point number, and no operation rounds:
/// an operation without an exact result throws.
public struct Money: Hashable, Sendable {
    /// The amount in minor units: cents for the euro, yen for the yen, mils for the dinar. Any sign.
    public let minorUnits: Int64
    /// The currency of ``minorUnits``.
    public let currency: Currency

    /// Creates an amount in minor units.
    public init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Returns a zero amount in a currency.
    public static func zero(_ currency: Currency) -> Money {
        Money(minorUnits: 0, currency: currency)
    }

    public var isZero: Bool { minorUnits == 0 }
    public var isPositive: Bool { minorUnits > 0 }
    public var isNegative: Bool { minorUnits < 0 }

    /// Adds an amount of the same currency.
    /// - Throws: ``MoneyError/currencyMismatch(_:_:)`` or ``MoneyError/outOfRange``.
    public func adding(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currencyMismatch(currency, other.currency) }
        guard let sum = adding(ifExact: other) else { throw .outOfRange }
        return sum
    }

    /// Adds an amount; `nil` for one of another currency and for a sum that does not fit 64 bits.
    public func adding(ifExact other: Money) -> Money? {
        let (sum, overflow) = minorUnits.addingReportingOverflow(other.minorUnits)
        return currency == other.currency && !overflow ? Money(minorUnits: sum, currency: currency) : nil
    }

    /// Subtracts an amount of the same currency; the result may be negative.
    /// - Throws: ``MoneyError/currencyMismatch(_:_:)`` or ``MoneyError/outOfRange``.
    public func subtracting(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currencyMismatch(currency, other.currency) }
        guard let difference = subtracting(ifExact: other) else { throw .outOfRange }
        return difference
    }

    /// Subtracts an amount, also below zero; `nil` for one of another currency and for a difference that does not fit
    /// 64 bits.
    public func subtracting(ifExact other: Money) -> Money? {
        let (difference, overflow) = minorUnits.subtractingReportingOverflow(other.minorUnits)
        return currency == other.currency && !overflow ? Money(minorUnits: difference, currency: currency) : nil
    }

    /// Returns the amount with the opposite sign.
    /// - Throws: ``MoneyError/outOfRange`` for the one value that has no opposite, `Int64.min`.
    public func negated() throws(MoneyError) -> Money {
        guard minorUnits != .min else { throw .outOfRange }
        return Money(minorUnits: -minorUnits, currency: currency)
    }
}

extension Money: CustomStringConvertible {
    /// The exact amount and the code: `"12.50 EUR"`. For logs and errors; people see ``formatted(locale:)``.
    public var description: String { "\(decimalString) \(currency.code)" }
}
