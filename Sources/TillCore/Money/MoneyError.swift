/// An error in reading, computing or encoding an amount. No money has moved when one is thrown.
public enum MoneyError: Error, Hashable, Sendable {
    /// The code is not an active one of ISO 4217.
    case unknownCurrency(String)
    /// The code has no minor unit (gold, testing, "no currency"), so it cannot be used for payment.
    case notPayable(String)
    /// The text is not a plain decimal number such as `12.50`.
    case notANumber(String)
    /// The text has more decimal places than the currency.
    case tooPrecise(String, Currency)
    /// The amount, or the result of a computation, does not fit 64 bits of minor units.
    case outOfRange
    /// An operation combined two amounts of different currencies.
    case currencyMismatch(Currency, Currency)
    /// The provider does not support the currency.
    case unsupportedCurrency(Currency, provider: String)
    /// The shop has not set up the currency at the provider.
    case unconfiguredCurrency(Currency, provider: String, setting: String)
    /// The provider's wire format cannot represent this amount exactly.
    case inexpressible(Money, provider: String, reason: String)
    /// The provider sent an amount that is not a whole number of the currency's minor units.
    case unreadableWireAmount(Int64, Currency, provider: String, reason: String)
}

extension MoneyError: CustomStringConvertible {
    /// A human-readable sentence.
    public var description: String {
        switch self {
        case .unknownCurrency(let code):
            "“\(code.shownInError)” is not a currency code of ISO 4217 that is in use, such as EUR."
        case .notPayable(let code):
            "Nothing can be paid in \(code): ISO 4217 lists it without a minor unit."
        case .notANumber(let text):
            "“\(text.shownInError)” is not an amount: write digits with at most one point, such as 12.50."
        case .tooPrecise(let text, let currency):
            "“\(text.shownInError)” is more precise than \(currency) allows: it has \(currency.exponent) decimal "
                + "places."
        case .outOfRange:
            "The amount is too large to be counted."
        case .currencyMismatch(let a, let b):
            "Amounts in \(a) and \(b) cannot be combined."
        case .unsupportedCurrency(let currency, let provider):
            "\(provider) does not take payments in \(currency)."
        case .unconfiguredCurrency(let currency, let provider, let setting):
            "\(provider) takes payments in \(currency) only into an account of that currency: name it in \(setting)."
        case .inexpressible(let money, let provider, let reason):
            "\(money) cannot be sent to \(provider): \(reason)."
        case .unreadableWireAmount(let amount, let currency, let provider, let reason):
            "\(provider) sent \(amount) as an amount in \(currency): \(reason)."
        }
    }
}

extension String {
    /// External text, shortened to at most 40 printable characters so that it can be quoted in an error.
    package var shownInError: String {
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if shown.count == 40 {
                shown.append("…")
                break
            }
            shown.append(scalar.isPrintable ? scalar : "�")
        }
        return String(shown)
    }
}

extension Unicode.Scalar {
    /// `false` for control characters and for invisible ones that change the direction of the surrounding text.
    var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
