/// An amount with up to eight decimal places, for sums of what a shop shows with more digits than money has.
///
/// Only ``rounded(to:)`` leads back to money. Read amounts are below 10^15 major units, and an order has fewer than
/// 10^6 of them, so a sum stays below 10^29 and cannot overflow 128 bits.
struct ExactAmount: Hashable {
    /// Decimal places of ``units``.
    static let places = 8
    /// The amount in units of 10^-8.
    var units: Int128

    static let zero = ExactAmount(units: 0)

    init(units: Int128) { self.units = units }

    init(_ money: Money) {
        units = Int128(money.minorUnits) * DecimalText.power(ExactAmount.places - money.currency.exponent)
    }

    /// Reads decimal text.
    /// - Throws: ``MoneyError/notANumber(_:)``, or ``MoneyError/outOfRange`` beyond 8 decimal places or 10^15.
    init(parsing text: String) throws(MoneyError) {
        let decimal: DecimalText
        do throws(DecimalText.Failure) {
            decimal = try DecimalText(text)
        } catch { throw error == .notANumber ? .notANumber(text) : .outOfRange }
        guard let units = decimal.scaled(toPlaces: ExactAmount.places),
            units.magnitude < DecimalText.power(15 + ExactAmount.places).magnitude
        else { throw .outOfRange }
        self.units = units
    }

    static func + (a: ExactAmount, b: ExactAmount) -> ExactAmount { ExactAmount(units: a.units + b.units) }
    static func - (a: ExactAmount, b: ExactAmount) -> ExactAmount { ExactAmount(units: a.units - b.units) }

    /// To the nearest minor unit, halves away from zero as shops round.
    /// - Throws: ``MoneyError/outOfRange``.
    func rounded(to currency: Currency) throws(MoneyError) -> Money {
        let step = DecimalText.power(ExactAmount.places - currency.exponent)
        let half = step / 2
        let nearest = (units < 0 ? units - half : units + half) / step
        guard let minorUnits = Int64(exactly: nearest) else { throw .outOfRange }
        return Money(minorUnits: minorUnits, currency: currency)
    }

    /// The exact amount, with the currency's decimal places and more where there are more.
    func text(_ currency: Currency) -> String {
        let scale = DecimalText.power(ExactAmount.places)
        let whole = String(units.magnitude / scale.magnitude)
        let digits = String(units.magnitude % scale.magnitude)
        var fraction = String(repeating: "0", count: max(0, ExactAmount.places - digits.utf8.count)) + digits
        while fraction.utf8.count > currency.exponent, fraction.last == "0" { fraction.removeLast() }
        return (units < 0 ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
    }
}

extension Sequence {
    /// The exact sum of one amount of each element.
    func sum(_ amount: (Element) -> ExactAmount) -> ExactAmount {
        reduce(ExactAmount.zero) { $0 + amount($1) }
    }
}
