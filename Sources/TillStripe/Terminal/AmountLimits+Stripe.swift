public import TillHardware

extension AmountLimits {
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
}
