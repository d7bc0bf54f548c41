import TillCore

/// Amounts in Stripe's smallest unit. Written from Stripe's page on currencies and on purpose apart from the client's
/// table: a mistake in one of the two is found by the other.
enum StripeWireAmount {
    private static let withoutDecimals: Set<String> = [
        "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
    ]
    private static let withThree: Set<String> = ["BHD", "JOD", "KWD", "OMR", "TND"]
    /// Shown with two decimals that are always zeros.
    private static let withZeros: Set<String> = ["ISK", "UGX"]
    /// The least at a reader, in minor units; there is none for other currencies.
    private static let least: [String: Int64] = [
        "USD": 50, "AED": 200, "AUD": 50, "BRL": 50, "CAD": 50, "CHF": 50, "CZK": 1500, "DKK": 250, "EUR": 50,
        "GBP": 30, "HKD": 400, "HUF": 17_500, "JPY": 50, "MXN": 1000, "MYR": 200, "NOK": 300, "NZD": 50, "PLN": 200,
        "SEK": 300, "SGD": 50,
    ]

    /// How many of the wire's units make one of the currency, and how many of ISO's minor units do.
    private static func units(_ currency: Currency) -> (wire: Int64, minor: Int64) {
        let minor = [1, 10, 100, 1_000, 10_000][min(4, currency.exponent)] as Int64
        if withoutDecimals.contains(currency.code) { return (1, minor) }
        return (withThree.contains(currency.code) ? 1_000 : 100, minor)
    }

    /// Minor units as the wire has them; `nil` if it cannot say them.
    static func wire(_ minorUnits: Int64, _ currency: Currency) -> Int64? {
        let units = units(currency)
        let (product, overflow) = minorUnits.multipliedReportingOverflow(by: units.wire)
        guard !overflow, product % units.minor == 0 else { return nil }
        return isSayable(product / units.minor, currency) ? product / units.minor : nil
    }

    /// The wire's integer in minor units; `nil` if it breaks the currency's rule.
    static func minorUnits(_ wire: Int64, _ currency: Currency) -> Int64? {
        let units = units(currency)
        let (product, overflow) = wire.multipliedReportingOverflow(by: units.minor)
        guard !overflow, product % units.wire == 0, isSayable(wire, currency) else { return nil }
        return product / units.wire
    }

    /// The least that a reader takes.
    static func least(_ currency: Currency) -> Money {
        Money(minorUnits: least[currency.code] ?? 1, currency: currency)
    }

    private static func isSayable(_ wire: Int64, _ currency: Currency) -> Bool {
        if withZeros.contains(currency.code) { return wire % 100 == 0 }
        return withThree.contains(currency.code) ? wire % 10 == 0 : true
    }
}
