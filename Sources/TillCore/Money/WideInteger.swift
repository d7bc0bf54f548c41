/// A signed integer of 128 bits with the few operations that decimal text and exact sums need.
///
/// The modules of apps use it in place of `Int128`, which needs iOS 18. Operators trap on overflow as those of the
/// library do; the reporting methods do not.
package struct WideInteger: Hashable, Sendable {
    /// The upper half in two's complement.
    private let high: Int64
    private let low: UInt64

    private init(high: Int64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(_ value: Int64) { self.init(high: value < 0 ? -1 : 0, low: UInt64(bitPattern: value)) }

    package init(_ value: Int) { self.init(Int64(value)) }

    /// The number if 64 bits hold it.
    fileprivate var narrow: Int64? {
        let value = Int64(bitPattern: low)
        return high == (value < 0 ? -1 : 0) ? value : nil
    }

    private var isNegative: Bool { high < 0 }

    /// The distance from zero.
    private var distance: Distance {
        guard isNegative else { return Distance(high: UInt64(high), low: low) }
        let (inverted, carry) = (~low).addingReportingOverflow(1)
        return Distance(high: UInt64(bitPattern: ~high) &+ (carry ? 1 : 0), low: inverted)
    }

    /// Creates a number from its distance from zero; `nil` if it does not fit.
    private init?(_ distance: Distance, isNegative: Bool) {
        guard isNegative else {
            guard let high = Int64(exactly: distance.high) else { return nil }
            self.init(high: high, low: distance.low)
            return
        }
        // The least number is -2^127, one farther from zero than the greatest.
        guard distance.high < 1 << 63 || (distance.high == 1 << 63 && distance.low == 0) else { return nil }
        let (low, carry) = (~distance.low).addingReportingOverflow(1)
        self.init(high: Int64(bitPattern: ~distance.high &+ (carry ? 1 : 0)), low: low)
    }

    // MARK: Arithmetic

    package func addingReportingOverflow(_ other: WideInteger) -> (partialValue: WideInteger, overflow: Bool) {
        let (low, carry) = low.addingReportingOverflow(other.low)
        let (sum, overflow) = high.addingReportingOverflow(other.high)
        let (total, overflow2) = sum.addingReportingOverflow(carry ? 1 : 0)
        // The carry may bring a sum back that was too low by one.
        return (WideInteger(high: total, low: low), overflow != overflow2)
    }

    package func subtractingReportingOverflow(_ other: WideInteger) -> (partialValue: WideInteger, overflow: Bool) {
        let (low, borrow) = low.subtractingReportingOverflow(other.low)
        let (rest, overflow) = high.subtractingReportingOverflow(other.high)
        let (total, overflow2) = rest.subtractingReportingOverflow(borrow ? 1 : 0)
        return (WideInteger(high: total, low: low), overflow != overflow2)
    }

    /// Returns the product; `nil` if it does not fit.
    package func multiplied(ifExact other: WideInteger) -> WideInteger? {
        if let a = narrow, let b = other.narrow {
            let product = a.multipliedFullWidth(by: b)
            return WideInteger(high: product.high, low: product.low)
        }
        guard let product = distance.multiplied(by: other.distance) else { return nil }
        return WideInteger(product, isNegative: isNegative != other.isNegative)
    }

    /// Returns the quotient, rounded towards zero, and the remainder, which has the sign of the number. Traps for zero,
    /// and for the least number divided by -1.
    package func quotientAndRemainder(
        dividingBy other: WideInteger
    ) -> (quotient: WideInteger, remainder: WideInteger) {
        if let a = narrow, let b = other.narrow, b != -1 {
            let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
            return (WideInteger(quotient), WideInteger(remainder))
        }
        let distances = distance.divided(by: other.distance)
        guard let quotient = WideInteger(distances.quotient, isNegative: isNegative != other.isNegative),
            let remainder = WideInteger(distances.remainder, isNegative: isNegative)
        else { preconditionFailure("The quotient does not fit 128 bits.") }
        return (quotient, remainder)
    }

    /// The number without its sign. Traps for the least number.
    package var magnitude: WideInteger { isNegative ? -self : self }

    package static prefix func - (number: WideInteger) -> WideInteger { 0 - number }

    package static func + (a: WideInteger, b: WideInteger) -> WideInteger {
        let (sum, overflow) = a.addingReportingOverflow(b)
        precondition(!overflow, "The sum does not fit 128 bits.")
        return sum
    }

    package static func - (a: WideInteger, b: WideInteger) -> WideInteger {
        let (difference, overflow) = a.subtractingReportingOverflow(b)
        precondition(!overflow, "The difference does not fit 128 bits.")
        return difference
    }

    package static func * (a: WideInteger, b: WideInteger) -> WideInteger {
        guard let product = a.multiplied(ifExact: b) else {
            preconditionFailure("The product does not fit 128 bits.")
        }
        return product
    }

    package static func / (a: WideInteger, b: WideInteger) -> WideInteger {
        a.quotientAndRemainder(dividingBy: b).quotient
    }

    package static func % (a: WideInteger, b: WideInteger) -> WideInteger {
        a.quotientAndRemainder(dividingBy: b).remainder
    }
}

extension WideInteger: Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    package init(integerLiteral value: Int64) { self.init(value) }

    package static func < (a: WideInteger, b: WideInteger) -> Bool {
        a.high == b.high ? a.low < b.low : a.high < b.high
    }

    /// The decimal digits, with a minus sign before a negative number.
    package var description: String {
        var rest = distance
        var text = ""
        let step = Distance(high: 0, low: 1_000_000_000_000_000_000)
        while true {
            let (quotient, group) = rest.divided(by: step)
            let digits = String(group.low)
            guard !quotient.isZero else { return (isNegative ? "-" : "") + digits + text }
            text = String(repeating: "0", count: 18 - digits.utf8.count) + digits + text
            rest = quotient
        }
    }
}

extension Int64 {
    /// Creates the same number; `nil` if it does not fit.
    package init?(exactly number: WideInteger) {
        guard let value = number.narrow else { return nil }
        self = value
    }

    /// Creates the nearest number.
    package init(clamping number: WideInteger) { self = number.narrow ?? (number < 0 ? .min : .max) }
}

/// A distance from zero, below 2^128.
private struct Distance {
    var high: UInt64
    var low: UInt64

    var isZero: Bool { high == 0 && low == 0 }

    /// Returns the product; `nil` if it does not fit.
    func multiplied(by other: Distance) -> Distance? {
        guard high == 0 || other.high == 0 else { return nil }
        let lower = low.multipliedFullWidth(by: other.low)
        let (first, overflow) = high.multipliedReportingOverflow(by: other.low)
        let (second, overflow2) = low.multipliedReportingOverflow(by: other.high)
        // One of the two is zero.
        let (upper, overflow3) = lower.high.addingReportingOverflow(first | second)
        return overflow || overflow2 || overflow3 ? nil : Distance(high: upper, low: lower.low)
    }

    /// Returns quotient and remainder. Traps for zero.
    func divided(by other: Distance) -> (quotient: Distance, remainder: Distance) {
        guard other.high != 0 else {
            let (upper, rest) = high.quotientAndRemainder(dividingBy: other.low)
            let (lower, last) = other.low.dividingFullWidth((rest, low))
            return (Distance(high: upper, low: lower), Distance(high: 0, low: last))
        }
        // The quotient has fewer than 64 bits: the upper half of the number is what remains before the first of them.
        var quotient: UInt64 = 0
        var rest = Distance(high: 0, low: high)
        for bit in (0..<64).reversed() {
            rest = Distance(high: rest.high << 1 | rest.low >> 63, low: rest.low << 1 | (low >> UInt64(bit)) & 1)
            quotient <<= 1
            guard rest.high > other.high || (rest.high == other.high && rest.low >= other.low) else { continue }
            let (lower, borrow) = rest.low.subtractingReportingOverflow(other.low)
            rest = Distance(high: rest.high &- other.high &- (borrow ? 1 : 0), low: lower)
            quotient |= 1
        }
        return (Distance(high: 0, low: quotient), rest)
    }
}
