/// A plain decimal number read from text without loss: `-?digits[.digits]`, ASCII only.
///
/// The parser behind ``Money/init(parsing:currency:)`` and the exact sums of an order. It keeps the digits as an
/// integer and the number of decimal places; trailing zeros after the point are dropped, so `12.500000` has one decimal
/// place.
package struct DecimalText {
    /// A parsing failure.
    package enum Failure: Error {
        case notANumber
        case outOfRange
    }

    /// The digits without the point, at most 38 of them, never negative.
    package let digits: WideInteger
    /// The number of digits after the point.
    package let decimalPlaces: Int
    package let isNegative: Bool

    /// Parses the whole text.
    package init(_ text: String) throws(Failure) {
        var text = text
        let result: Result<DecimalText, Failure> = text.withUTF8 { bytes in
            do throws(Failure) { return .success(try DecimalText(bytes)) } catch { return .failure(error) }
        }
        self = try result.get()
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) throws(Failure) {
        var position = 0
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { position = 1 }
        var point: Int?
        var end = bytes.count
        for index in position..<max(position, end) {
            switch bytes[index] {
            case 0x30...0x39: continue
            case UInt8(ascii: ".") where point == nil && index > position: point = index
            default: throw .notANumber
            }
        }
        guard end > position, point != end - 1 else { throw .notANumber }
        if let point {
            while end > point + 1, bytes[end - 1] == UInt8(ascii: "0") { end -= 1 }
        }
        self.isNegative = isNegative
        self.decimalPlaces = point.map { end - $0 - 1 } ?? 0
        self.digits = try DecimalText.value(of: bytes[position..<end])
    }

    private static func value(of bytes: Slice<UnsafeBufferPointer<UInt8>>) throws(Failure) -> WideInteger {
        // 18 digits always fit 64 bits, and nearly every amount is that short.
        if bytes.count <= 18 {
            var short: Int64 = 0
            for byte in bytes where byte != UInt8(ascii: ".") { short = short &* 10 &+ Int64(byte &- 0x30) }
            return WideInteger(short)
        }
        var long: WideInteger = 0
        for byte in bytes where byte != UInt8(ascii: ".") {
            guard let tenfold = long.multiplied(ifExact: 10) else { throw .outOfRange }
            let (sum, overflow) = tenfold.addingReportingOverflow(WideInteger(Int64(byte &- 0x30)))
            guard !overflow else { throw .outOfRange }
            long = sum
        }
        return long
    }

    /// Returns the number as an integer of `10^-places`, or `nil` if it has more decimal places than that or does not
    /// fit.
    package func scaled(toPlaces places: Int) -> WideInteger? {
        guard decimalPlaces <= places, places - decimalPlaces <= 30 else { return nil }
        guard let value = digits.multiplied(ifExact: DecimalText.power(places - decimalPlaces)) else { return nil }
        return isNegative ? -value : value
    }

    /// Returns the same as ``scaled(toPlaces:)``, but with further digits rounded away, halves away from zero.
    package func rounded(toPlaces places: Int) -> WideInteger? {
        guard decimalPlaces > places else { return scaled(toPlaces: places) }
        let step = DecimalText.power(min(30, decimalPlaces - places))
        guard decimalPlaces - places <= 30 else { return 0 }
        let (quotient, rest) = digits.quotientAndRemainder(dividingBy: step)
        let nearest = rest >= step / 2 ? quotient + 1 : quotient
        return isNegative ? -nearest : nearest
    }

    /// Returns ten to the power of 0...30.
    package static func power(_ exponent: Int) -> WideInteger {
        let exponent = max(0, min(exponent, 30))
        func narrow(_ exponent: Int) -> WideInteger {
            var power: Int64 = 1
            for _ in 0..<exponent { power *= 10 }
            return WideInteger(power)
        }
        return exponent <= 18 ? narrow(exponent) : narrow(18) * narrow(exponent - 18)
    }
}
