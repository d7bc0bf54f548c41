import TillCore

/// Amounts as PayPal's page on currencies has them: decimal text in 24 currencies, of which three allow no decimal
/// places. Written on purpose apart from the client's table: a mistake in one of the two is found by the other.
enum PayPalWireAmount {
    private static let whole: Set<String> = ["HUF", "JPY", "TWD"]
    private static let others: Set<String> = [
        "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "ILS", "MXN", "MYR", "NOK", "NZD", "PHP",
        "PLN", "SEK", "SGD", "THB", "USD",
    ]

    /// Whether PayPal takes a currency at all.
    static func takes(_ currency: Currency) -> Bool {
        whole.contains(currency.code) || others.contains(currency.code)
    }

    /// Whether an amount can be written in PayPal's form.
    static func canSay(_ money: Money) -> Bool {
        takes(money.currency) && (!whole.contains(money.currency.code) || !text(money).contains("."))
    }

    /// `"12.50"`, or `"12"` where there are no decimal places.
    static func text(_ money: Money) -> String {
        let text = money.decimalString
        guard whole.contains(money.currency.code), text.hasSuffix(".00") else { return text }
        return String(text.dropLast(3))
    }

    /// The amount of `{"currency_code": …, "value": …}`; `nil` if it cannot be read.
    static func read(_ value: JSONValue?) -> Money? {
        guard case .string(let code)? = value?["currency_code"], case .string(let text)? = value?["value"],
            let currency = Currency(ifValid: code)
        else { return nil }
        return Money(ifValid: text, currency: currency)
    }
}
