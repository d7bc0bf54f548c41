import TillCore

/// An amount with up to twelve decimal places, for sums of values that a shop shows with more digits than the currency
/// has.
///
/// Only ``rounded(to:)`` converts back to money. Parsed amounts are below 10^15 major units, and an order has fewer
/// than 10^6 of them, so a sum stays below 10^33 and cannot overflow 128 bits.
struct ExactAmount: Hashable {
    /// The number of decimal places of ``units``.
    static let places = 12
    /// The amount in units of 10^-12.
    var units: WideInteger

    static let zero = ExactAmount(units: 0)

    init(units: WideInteger) { self.units = units }

    init(_ money: Money) {
        units = WideInteger(money.minorUnits) * DecimalText.power(ExactAmount.places - money.currency.exponent)
    }

    /// Parses decimal text. Digits after the twelfth place are noise of binary fractions, as in `10.799999999999999`:
    /// they are rounded away.
    /// - Throws: `MoneyError.notANumber`, or `MoneyError.outOfRange` beyond 10^15 or 38 digits.
    init(parsing text: String) throws(MoneyError) {
        let decimal: DecimalText
        do throws(DecimalText.Failure) {
            decimal = try DecimalText(text)
        } catch { throw error == .notANumber ? .notANumber(text) : .outOfRange }
        guard let units = decimal.rounded(toPlaces: ExactAmount.places),
            units.magnitude < DecimalText.power(15 + ExactAmount.places)
        else { throw .outOfRange }
        self.units = units
    }

    /// Parses decimal text; `nil` for any text that ``init(parsing:)`` rejects.
    init?(ifValid text: String) {
        do throws(MoneyError) { try self.init(parsing: text) } catch { return nil }
    }

    /// Returns the amount multiplied by a count, to the nearest 10^-6, which is the precision of shops; `nil` if it
    /// does not fit.
    func times(_ count: DecimalText) -> ExactAmount? {
        guard let millionths = count.scaled(toPlaces: 6) else { return nil }
        guard let product = units.multiplied(ifExact: millionths) else { return nil }
        let step = DecimalText.power(ExactAmount.places)
        // Not the product and a half: that sum may not fit.
        let (quotient, rest) = product.quotientAndRemainder(dividingBy: step)
        let nearest = rest.magnitude >= step / 2 ? quotient + (product < 0 ? -1 : 1) : quotient
        let amount = ExactAmount(units: nearest * DecimalText.power(ExactAmount.places - 6))
        return amount.units.magnitude < DecimalText.power(15 + ExactAmount.places) ? amount : nil
    }

    /// Returns `true` if this is the other amount rounded to decimal places the given number of times, in either
    /// direction at halves: shops round tax half down where prices include it, and half up elsewhere.
    func isRounding(of exact: ExactAmount, places: Int, times: Int = 1) -> Bool {
        let step = DecimalText.power(ExactAmount.places - places)
        return (units - exact.units).magnitude * 2 <= step * WideInteger(max(1, times))
    }

    static func + (a: ExactAmount, b: ExactAmount) -> ExactAmount { ExactAmount(units: a.units + b.units) }
    static func - (a: ExactAmount, b: ExactAmount) -> ExactAmount { ExactAmount(units: a.units - b.units) }

    /// Rounds to the nearest minor unit, halves away from zero as shops do.
    /// - Throws: `MoneyError.outOfRange`.
    func rounded(to currency: Currency) throws(MoneyError) -> Money {
        let step = DecimalText.power(ExactAmount.places - currency.exponent)
        let half = step / 2
        let nearest = (units < 0 ? units - half : units + half) / step
        guard let minorUnits = Int64(exactly: nearest) else { throw .outOfRange }
        return Money(minorUnits: minorUnits, currency: currency)
    }

    /// Returns the exact amount, with at least the currency's decimal places.
    func text(_ currency: Currency) -> String {
        let scale = DecimalText.power(ExactAmount.places)
        let whole = (units.magnitude / scale).description
        let digits = (units.magnitude % scale).description
        var fraction = String(repeating: "0", count: max(0, ExactAmount.places - digits.utf8.count)) + digits
        while fraction.utf8.count > currency.exponent, fraction.last == "0" { fraction.removeLast() }
        return (units < 0 ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
    }
}

extension Sequence {
    /// Returns the exact sum of one amount of each element.
    func sum(_ amount: (Element) -> ExactAmount) -> ExactAmount {
        reduce(ExactAmount.zero) { $0 + amount($1) }
    }
}
