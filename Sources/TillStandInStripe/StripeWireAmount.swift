import TillCore

/// Amounts in Stripe's smallest unit. Written from Stripe's currency page and deliberately independent of the client's
/// table, so that an error in either is detected by the other.
enum StripeWireAmount {
    private static let withoutDecimals: Set<String> = [
        "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
    ]
    private static let withThree: Set<String> = ["BHD", "JOD", "KWD", "OMR", "TND"]
    /// Currencies written with two decimals that are always zero.
    private static let withZeros: Set<String> = ["ISK", "UGX"]
    /// The minimum amount at a reader, in minor units; other currencies have none.
    private static let least: [String: Int64] = [
        "USD": 50, "AED": 200, "AUD": 50, "BRL": 50, "CAD": 50, "CHF": 50, "CZK": 1500, "DKK": 250, "EUR": 50,
        "GBP": 30, "HKD": 400, "HUF": 17_500, "JPY": 50, "MXN": 1000, "MYR": 200, "NOK": 300, "NZD": 50, "PLN": 200,
        "SEK": 300, "SGD": 50,
    ]

    /// Returns the number of wire units and of ISO minor units in one unit of the currency.
    private static func units(_ currency: Currency) -> (wire: Int64, minor: Int64) {
        let minor = [1, 10, 100, 1_000, 10_000][min(4, currency.exponent)] as Int64
        if withoutDecimals.contains(currency.code) { return (1, minor) }
        return (withThree.contains(currency.code) ? 1_000 : 100, minor)
    }

    /// Converts minor units to wire units; returns `nil` if they cannot be represented.
    static func wire(_ minorUnits: Int64, _ currency: Currency) -> Int64? {
        let units = units(currency)
        let (product, overflow) = minorUnits.multipliedReportingOverflow(by: units.wire)
        guard !overflow, product % units.minor == 0 else { return nil }
        return isSayable(product / units.minor, currency) ? product / units.minor : nil
    }

    /// Converts a wire amount to minor units; returns `nil` if it violates the currency's rule.
    static func minorUnits(_ wire: Int64, _ currency: Currency) -> Int64? {
        let units = units(currency)
        let (product, overflow) = wire.multipliedReportingOverflow(by: units.minor)
        guard !overflow, product % units.wire == 0, isSayable(wire, currency) else { return nil }
        return product / units.wire
    }

    /// Returns the minimum amount that a reader accepts.
    static func least(_ currency: Currency) -> Money {
        Money(minorUnits: least[currency.code] ?? 1, currency: currency)
    }

    private static func isSayable(_ wire: Int64, _ currency: Currency) -> Bool {
        if withZeros.contains(currency.code) { return wire % 100 == 0 }
        return withThree.contains(currency.code) ? wire % 10 == 0 : true
    }
}
