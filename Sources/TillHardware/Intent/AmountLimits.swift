public import TillCore

/// The least and the most that a provider takes in one payment, for each currency.
public struct AmountLimits: Hashable, Sendable {
    private let least: [String: Int64]
    private let most: Int64
    private let mostOf: [String: Int64]
    private let supported: Set<String>?

    /// Makes limits.
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

    /// Stripe's, as its page "Supported currencies" (docs.stripe.com/currencies, "Minimum and maximum charge amounts")
    /// had them in 2026: the least for each currency in which an account can be paid out, and eight digits on the wire
    /// at most, but for the currencies that are named there. A charge that is paid out in another currency must also
    /// meet that one's least after conversion, which only Stripe can tell.
    public static let stripe = AmountLimits(
        least: [
            "USD": 50, "AED": 200, "AUD": 50, "BGN": 100, "BRL": 50, "CAD": 50, "CHF": 50, "CZK": 1500, "DKK": 250,
            "EUR": 50, "GBP": 30, "HKD": 400, "HUF": 17_500, "INR": 50, "JPY": 50, "MXN": 1000, "MYR": 200,
            "NOK": 300, "NZD": 50, "PLN": 200, "RON": 200, "SEK": 300, "SGD": 50, "THB": 1000,
        ],
        most: 99_999_999,
        mostOf: [
            "IDR": 999_999_999_999, "INR": 999_999_999, "LBP": 99_999_999_999_900, "COP": 999_999_999_990,
            "HUF": 999_999_999_900, "JPY": 9_999_999_999,
            // Two digits of the wire are always zeros and none of the currency's.
            "ISK": 999_999, "UGX": 999_999,
            // Two digits of the currency are not on the wire.
            "MGA": 9_999_999_900,
        ])

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
