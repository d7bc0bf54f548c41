public import TillHardware

extension AmountLimits {
    /// Stripe's limits, from its page "Supported currencies" (docs.stripe.com/currencies, "Minimum and maximum charge
    /// amounts") as of 2026: the minimum for each settlement currency, and at most eight digits on the wire, except for
    /// the currencies named there. A charge settled in another currency must also meet that currency's minimum after
    /// conversion, which only Stripe can determine.
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
            // Two digits on the wire are always zero and not part of the currency.
            "ISK": 999_999, "UGX": 999_999,
            // Two digits of the currency are not on the wire.
            "MGA": 9_999_999_900,
        ])
}
