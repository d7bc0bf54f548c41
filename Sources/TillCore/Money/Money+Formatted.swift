public import Foundation

extension Money {
    /// Returns the amount for display in a locale: `"12,50 €"` for Germany. Exact: the digits are those of
    /// ``decimalString``. Never parse it; wire formats use ``decimalString`` or ``minorUnits``.
    public func formatted(locale: Locale = .current) -> String {
        let amount = Decimal(
            sign: isNegative ? .minus : .plus, exponent: -currency.exponent,
            significand: Decimal(minorUnits.magnitude))
        let style = Decimal.FormatStyle.Currency(code: currency.code, locale: locale)
        return amount.formatted(style.precision(.fractionLength(currency.exponent)))
    }
}
