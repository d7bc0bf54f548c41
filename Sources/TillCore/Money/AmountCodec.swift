/// A provider's wire format of amounts: its decimal places for each currency, which may differ from those of ISO 4217.
///
/// ```swift
/// let codec = AmountCodec(
///     provider: "Example", exceptions: ["ISK": AmountCodec.Rule(wireExponent: 2, multipleOf: 100)])
/// let price = try Money(parsing: "10", currency: Currency(code: "ISK"))
/// let wire = try codec.wireAmount(price)  // 1000
/// let back = try codec.money(fromWire: wire, currency: price.currency)  // 10 ISK
/// ```
///
/// Ten Icelandic krónur are `10` in ISO minor units and `1000` on Stripe's wire; an error by a factor of a hundred
/// takes a hundred times the money. Every conversion here is exact or throws, and a round trip yields the same amount.
public struct AmountCodec: Sendable {
    /// The wire form of one currency.
    public struct Rule: Hashable, Sendable {
        /// Decimal places of the integer on the wire, 0...4.
        public var wireExponent: Int
        /// The divisor of every valid integer on the wire; 1 if there is no restriction.
        public var multipleOf: Int64

        /// Creates a rule; a `multipleOf` below one counts as one.
        public init(wireExponent: Int, multipleOf: Int64 = 1) {
            self.wireExponent = max(0, min(4, wireExponent))
            self.multipleOf = max(1, multipleOf)
        }
    }

    /// The provider's name, for errors.
    public let provider: String
    private let exceptions: [String: Rule]
    private let unsupported: Set<String>
    private let supported: Set<String>?
    private let setting: String?

    /// Creates a table of the currencies in which the provider differs from ISO 4217; all others use the ISO exponent.
    /// - Parameters:
    ///   - exceptions: The rules by currency code.
    ///   - unsupported: The codes that the provider does not support, or for which it documents no wire form.
    ///   - supported: If given, the only codes that the provider supports.
    ///   - setting: The setting that lists the supported currencies, for the error.
    public init(
        provider: String, exceptions: [String: Rule], unsupported: Set<String> = [], supported: Set<String>? = nil,
        setting: String? = nil
    ) {
        self.provider = provider
        self.exceptions = exceptions
        self.unsupported = unsupported
        self.supported = supported
        self.setting = setting
    }

    /// Returns the wire form of a currency.
    /// - Throws: ``MoneyError/unsupportedCurrency(_:provider:)``,
    ///   ``MoneyError/unconfiguredCurrency(_:provider:setting:)``.
    public func rule(for currency: Currency) throws(MoneyError) -> Rule {
        let code = currency.code
        guard !unsupported.contains(code), supported?.contains(code) ?? true else {
            if let setting, !unsupported.contains(code) {
                throw .unconfiguredCurrency(currency, provider: provider, setting: setting)
            }
            throw .unsupportedCurrency(currency, provider: provider)
        }
        return exceptions[code] ?? Rule(wireExponent: currency.exponent)
    }

    /// Returns the integer that represents an amount on the provider's wire.
    /// - Throws: ``MoneyError/unsupportedCurrency(_:provider:)``, ``MoneyError/outOfRange``, or
    ///   ``MoneyError/inexpressible(_:provider:reason:)`` if the provider would have to round.
    public func wireAmount(_ money: Money) throws(MoneyError) -> Int64 {
        let rule = try rule(for: money.currency)
        let steps = rule.wireExponent - money.currency.exponent
        guard let wire = AmountCodec.shift(money.minorUnits, by: steps) else {
            throw steps > 0 ? .outOfRange : .inexpressible(money, provider: provider, reason: placesReason(rule, money))
        }
        guard wire.isMultiple(of: rule.multipleOf) else {
            throw .inexpressible(
                money, provider: provider,
                reason: "its amounts in \(money.currency) must be multiples of "
                    + Money.decimalString(rule.multipleOf, places: rule.wireExponent))
        }
        return wire
    }

    /// Returns the integer that represents an amount on the provider's wire; `nil` for any amount that
    /// ``wireAmount(_:)`` refuses.
    public func wireAmount(ifExact money: Money) -> Int64? {
        do throws(MoneyError) { return try wireAmount(money) } catch { return nil }
    }

    /// Returns the decimal text that represents an amount on the provider's wire, with exactly its decimal places:
    /// `"12.50"`, or `"12"` if the provider allows none.
    /// - Throws: The errors of ``wireAmount(_:)``.
    public func wireDecimalString(_ money: Money) throws(MoneyError) -> String {
        let wire = try wireAmount(money)
        return Money.decimalString(wire, places: try rule(for: money.currency).wireExponent)
    }

    /// Returns the decimal text of an amount; `nil` for any amount that ``wireDecimalString(_:)`` refuses.
    public func wireDecimalString(ifExact money: Money) -> String? {
        do throws(MoneyError) { return try wireDecimalString(money) } catch { return nil }
    }

    /// Returns the amount that an integer on the provider's wire represents.
    /// - Throws: ``MoneyError/unsupportedCurrency(_:provider:)``, ``MoneyError/outOfRange``, or
    ///   ``MoneyError/unreadableWireAmount(_:_:provider:reason:)`` if the integer breaks the provider's own rule.
    public func money(fromWire wire: Int64, currency: Currency) throws(MoneyError) -> Money {
        let rule = try rule(for: currency)
        guard wire.isMultiple(of: rule.multipleOf) else {
            throw .unreadableWireAmount(
                wire, currency, provider: provider, reason: "that is not a multiple of \(rule.multipleOf)")
        }
        let steps = currency.exponent - rule.wireExponent
        guard let minorUnits = AmountCodec.shift(wire, by: steps) else {
            if steps > 0 { throw .outOfRange }
            throw .unreadableWireAmount(
                wire, currency, provider: provider, reason: "that is not a whole number of minor units")
        }
        return Money(minorUnits: minorUnits, currency: currency)
    }

    /// Returns the amount that an integer on the wire represents; `nil` for any integer that
    /// ``money(fromWire:currency:)`` refuses.
    public func money(ifValid wire: Int64, currency: Currency) -> Money? {
        do throws(MoneyError) { return try money(fromWire: wire, currency: currency) } catch { return nil }
    }

    private func placesReason(_ rule: Rule, _ money: Money) -> String {
        "its amounts in \(money.currency) have "
            + (rule.wireExponent == 0 ? "no decimal places" : "\(rule.wireExponent) decimal places")
    }

    /// Moves the decimal point; `nil` if the result overflows or would lose digits.
    private static func shift(_ value: Int64, by places: Int) -> Int64? {
        var value = value
        for _ in 0..<abs(places) {
            if places > 0 {
                let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
                guard !overflow else { return nil }
                value = tenfold
            } else {
                guard value.isMultiple(of: 10) else { return nil }
                value /= 10
            }
        }
        return value
    }
}

extension AmountCodec {
    /// Units of account and next-day funds of ISO 4217, which no card provider takes.
    public static let funds: Set<String> = ["BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW", "XAD"]
}
