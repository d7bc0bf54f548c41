import TillCore

/// Amounts as the shop writes them: decimal text.
enum ShopAmount {
    /// The limit of an amount, in minor units.
    static let maximum: Int64 = 1_000_000_000_000

    /// Reads a string or a number, rounded to the currency's minor units; `nil` if it is none, or out of range.
    static func minorUnits(_ value: JSONValue?, _ currency: Currency) -> Int64? {
        guard let text = text(value), let decimal = try? DecimalText(text),
            let units = decimal.rounded(toPlaces: currency.exponent), units.magnitude <= WideInteger(maximum)
        else { return nil }
        return Int64(exactly: units)
    }

    /// Returns the text of a string or the digits of a number.
    static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text)?, .number(let text)?: text
        case .null?, .bool?, .array?, .object?, nil: nil
        }
    }

    static func text(_ minorUnits: Int64, _ currency: Currency) -> String {
        Money(minorUnits: minorUnits, currency: currency).decimalString
    }

    static func json(_ minorUnits: Int64, _ currency: Currency) -> JSONValue { .string(text(minorUnits, currency)) }

    /// Writes an amount with other decimal places (the parameter `dp`); what is no amount stays as it is.
    static func rewritten(_ value: JSONValue, places: Int) -> JSONValue {
        guard case .string(let text) = value, let decimal = try? DecimalText(text),
            let units = decimal.rounded(toPlaces: places)
        else { return value }
        return .string(ShopAmount.decimal(units, places: places))
    }

    /// Writes an integer of `10^-places` with that many decimal places.
    static func decimal(_ units: WideInteger, places: Int) -> String {
        let digits = units.magnitude.description
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
        let sign = units < 0 ? "-" : ""
        return places == 0 ? sign + padded : "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}
