public import Foundation

extension Money {
    /// The amount for people, in the way of their language and region: `"12,50 €"` for Germany. Exact: the digits are
    /// those of ``decimalString``. Never parse it; wires carry ``decimalString`` or ``minorUnits``.
    public func formatted(locale: Locale = .current) -> String {
        let amount = Decimal(
            sign: isNegative ? .minus : .plus, exponent: -currency.exponent,
            significand: Decimal(minorUnits.magnitude))
        let style = Decimal.FormatStyle.Currency(code: currency.code, locale: locale)
        return amount.formatted(style.precision(.fractionLength(currency.exponent)))
    }
}
