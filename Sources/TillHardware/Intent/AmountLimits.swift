public import TillCore

/// A provider's minimum and maximum for one payment, by currency.
public struct AmountLimits: Hashable, Sendable {
    private let least: [String: Int64]
    private let most: Int64
    private let mostOf: [String: Int64]
    private let supported: Set<String>?

    /// Creates limits by currency.
    /// - Parameters:
    ///   - least: the minimum in minor units, by currency code; one minor unit for all others.
    ///   - most: the maximum in minor units for currencies without an entry in `mostOf`.
    ///   - mostOf: the maximum in minor units, by currency code, for currencies that differ from `most`.
    ///   - supported: the only accepted currencies, or `nil` for all.
    public init(
        least: [String: Int64] = [:], most: Int64 = .max, mostOf: [String: Int64] = [:], supported: Set<String>? = nil
    ) {
        self.least = least
        self.most = most
        self.mostOf = mostOf
        self.supported = supported
    }

    /// No limits, except that the amount must be positive.
    public static let none = AmountLimits()

    /// Returns the minimum amount in a currency.
    public func minimum(_ currency: Currency) -> Money {
        Money(minorUnits: least[currency.code] ?? 1, currency: currency)
    }

    /// Returns the maximum amount in a currency.
    public func maximum(_ currency: Currency) -> Money {
        Money(minorUnits: mostOf[currency.code] ?? most, currency: currency)
    }

    /// Rejects an amount that is out of bounds.
    /// - Throws: ``UnderlyingError/currencyNotSupported``, ``UnderlyingError/amountTooSmall`` or
    ///   ``UnderlyingError/amountTooLarge``.
    public func check(_ amount: Money) throws(CardReaderFailure) {
        let currency = amount.currency
        if let supported, !supported.contains(currency.code) {
            throw CardReaderFailure(.currencyNotSupported, message: "Payments in \(currency) are not taken.")
        }
        guard amount.minorUnits >= minimum(currency).minorUnits else {
            throw CardReaderFailure(
                .amountTooSmall, message: "The amount is \(amount); the least is \(minimum(currency)).")
        }
        guard amount.minorUnits <= maximum(currency).minorUnits else {
            throw CardReaderFailure(
                .amountTooLarge, message: "The amount is \(amount); the most is \(maximum(currency)).")
        }
    }
}
