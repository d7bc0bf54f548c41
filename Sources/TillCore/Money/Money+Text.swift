extension Money {
    /// Parses an amount in major units, exactly: `"12.50"`, `"-3"`, `"12.500000"`.
    ///
    /// ASCII digits, one leading minus sign and one point with digits on both sides; no spaces, plus signs, exponents
    /// or group separators. Zeros after the currency's last decimal place are dropped; other digits there are refused:
    /// nothing is rounded.
    /// - Throws: ``MoneyError/notANumber(_:)``, ``MoneyError/tooPrecise(_:_:)`` or ``MoneyError/outOfRange``.
    public init(parsing text: String, currency: Currency) throws(MoneyError) {
        let decimal: DecimalText
        do throws(DecimalText.Failure) {
            decimal = try DecimalText(text)
        } catch {
            switch error {
            case .notANumber: throw .notANumber(text)
            case .outOfRange: throw .outOfRange
            }
        }
        guard decimal.decimalPlaces <= currency.exponent else { throw .tooPrecise(text, currency) }
        guard let scaled = decimal.scaled(toPlaces: currency.exponent), let minorUnits = Int64(exactly: scaled) else {
            throw .outOfRange
        }
        self.init(minorUnits: minorUnits, currency: currency)
    }

    /// Parses an amount in major units as ``init(parsing:currency:)`` does; `nil` for any text that it rejects.
    public init?(ifValid text: String, currency: Currency) {
        do throws(MoneyError) { try self.init(parsing: text, currency: currency) } catch { return nil }
    }

    /// The exact amount in major units with all of the currency's decimal places and a point: `"12.50"`, `"-0.05"`,
    /// `"12"` for yen. ``init(parsing:currency:)`` parses it to the same amount.
    public var decimalString: String { Money.decimalString(minorUnits, places: currency.exponent) }

    /// Formats an integer of `10^-places` with that many decimal places.
    static func decimalString(_ units: Int64, places: Int) -> String {
        guard places > 0 else { return String(units) }
        let digits = String(units.magnitude)
        let padding = max(0, places + 1 - digits.utf8.count)
        let padded = padding == 0 ? digits : String(repeating: "0", count: padding) + digits
        return "\(units < 0 ? "-" : "")\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}
