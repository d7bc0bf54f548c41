import TillCore

/// Amounts as documented on PayPal's currency page: decimal strings in 24 currencies, of which three allow no decimal
/// places. Deliberately independent of the client's table, so that an error in either is detected by the other.
enum PayPalWireAmount {
    private static let whole: Set<String> = ["HUF", "JPY", "TWD"]
    private static let others: Set<String> = [
        "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "ILS", "MXN", "MYR", "NOK", "NZD", "PHP",
        "PLN", "SEK", "SGD", "THB", "USD",
    ]

    /// Returns `true` if PayPal supports a currency.
    static func takes(_ currency: Currency) -> Bool {
        whole.contains(currency.code) || others.contains(currency.code)
    }

    /// Returns `true` if an amount can be written in PayPal's format.
    static func canSay(_ money: Money) -> Bool {
        takes(money.currency) && (!whole.contains(money.currency.code) || !text(money).contains("."))
    }

    /// Returns `"12.50"`, or `"12"` for a whole-number currency.
    static func text(_ money: Money) -> String {
        let text = money.decimalString
        guard whole.contains(money.currency.code), text.hasSuffix(".00") else { return text }
        return String(text.dropLast(3))
    }

    /// Returns the amount of `{"currency_code": …, "value": …}`; `nil` if it is invalid.
    static func read(_ value: JSONValue?) -> Money? {
        guard case .string(let code)? = value?["currency_code"], case .string(let text)? = value?["value"],
            let currency = Currency(ifValid: code)
        else { return nil }
        return Money(ifValid: text, currency: currency)
    }
}
