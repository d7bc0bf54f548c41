public import TillCore

extension AmountCodec {
    /// PayPal's wire format: decimal text in 24 currencies, of which HUF, JPY and TWD have no decimals although ISO
    /// 4217 gives HUF and TWD two.
    public static let payPal = AmountCodec(
        provider: "PayPal",
        exceptions: [
            "HUF": Rule(wireExponent: 0), "JPY": Rule(wireExponent: 0), "TWD": Rule(wireExponent: 0),
        ],
        supported: [
            "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "JPY", "MXN", "MYR",
            "NOK", "NZD", "PHP", "PLN", "SEK", "SGD", "THB", "TWD", "USD",
        ])
}
