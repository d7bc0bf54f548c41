public import TillCore

/// The least and the most that a provider takes in one payment, for each currency.
public struct AmountLimits: Hashable, Sendable {
    private let least: [String: Int64]
    private let most: Int64
    private let mostOf: [String: Int64]
    private let supported: Set<String>?

    /// Limits for each currency that is sold in.
    /// - Parameters:
    ///   - least: the least in minor units, by currency code; one minor unit for all others.
    ///   - most: the most, in minor units, of a currency that ``maximum(_:)`` knows no other for.
    ///   - mostOf: the most in minor units, by currency code, where it is another one.
    ///   - supported: the only currencies that are taken, or `nil` for all.
    public init(
        least: [String: Int64] = [:], most: Int64 = .max, mostOf: [String: Int64] = [:], supported: Set<String>? = nil
    ) {
        self.least = least
        self.most = most
        self.mostOf = mostOf
        self.supported = supported
    }

    /// No limits but that something must be paid.
    public static let none = AmountLimits()

    /// The least amount in a currency.
    public func minimum(_ currency: Currency) -> Money {
        Money(minorUnits: least[currency.code] ?? 1, currency: currency)
    }

    /// The most in a currency.
    public func maximum(_ currency: Currency) -> Money {
        Money(minorUnits: mostOf[currency.code] ?? most, currency: currency)
    }

    /// Refuses an amount that is out of bounds.
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
