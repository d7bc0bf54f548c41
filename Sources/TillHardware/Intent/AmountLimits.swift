public import TillCore

/// The least and the most that a provider takes in one payment, for each currency.
public struct AmountLimits: Hashable, Sendable {
    private let least: [String: Int64]
    private let most: Int64
    private let supported: Set<String>?

    /// Makes limits.
    /// - Parameters:
    ///   - least: the least in minor units, by currency code; one minor unit for all others.
    ///   - most: the most, in minor units of any currency.
    ///   - supported: the only currencies that are taken, or `nil` for all.
    public init(least: [String: Int64] = [:], most: Int64 = .max, supported: Set<String>? = nil) {
        self.least = least
        self.most = most
        self.supported = supported
    }

    /// No limits but that something must be paid.
    public static let none = AmountLimits()

    /// Stripe's: the least that it documents for each currency that it settles in, and eight digits at most.
    public static let stripe = AmountLimits(
        least: [
            "USD": 50, "AED": 200, "AUD": 50, "BRL": 50, "CAD": 50, "CHF": 50, "CZK": 1500, "DKK": 250, "EUR": 50,
            "GBP": 30, "HKD": 400, "HUF": 17_500, "INR": 50, "JPY": 50, "MXN": 1000, "MYR": 200, "NOK": 300,
            "NZD": 50, "PLN": 200, "RON": 200, "SEK": 300, "SGD": 50, "THB": 1000,
        ],
        most: 99_999_999)

    /// The least amount in a currency.
    public func minimum(_ currency: Currency) -> Money {
        Money(minorUnits: least[currency.code] ?? 1, currency: currency)
    }

    /// The most in a currency.
    public func maximum(_ currency: Currency) -> Money { Money(minorUnits: most, currency: currency) }

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
        guard amount.minorUnits <= most else {
            throw CardReaderFailure(
                .amountTooLarge, message: "The amount is \(amount); the most is \(maximum(currency)).")
        }
    }
}
