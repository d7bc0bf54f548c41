public import TillCore

extension Timestamp {
    /// Creates a timestamp from a date and time in UTC; `nil` for a day or time that does not exist.
    /// - Parameters:
    ///   - year: 1 to 9999, in the proleptic Gregorian calendar.
    ///   - second: 0 to 59; leap seconds are rejected.
    init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...9999).contains(year), (1...12).contains(month), (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        guard (1...(lengths[month - 1] + (isLeap && month == 2 ? 1 : 0))).contains(day) else { return nil }
        let days = Timestamp.days(year: Int64(year), month: Int64(month), day: Int64(day))
        self.init(milliseconds: (days * 86_400 + Int64(hour * 3600 + minute * 60 + second)) * 1000)
    }

    /// Parses ISO 8601: a date, or a date and time with `Z`, an offset or neither (UTC), such as
    /// `2026-11-21T09:30:00Z`; or whole seconds since 1970. Fractions of a second are truncated to milliseconds. `nil`
    /// for anything else.
    public init?(iso8601 text: String) {
        if let seconds = Int64(text), (0...253_402_300_799).contains(seconds), text.utf8.count > 8 {
            self.init(milliseconds: seconds * 1000)
            return
        }
        var rest = Substring(text)
        func number(_ count: Int) -> Int? {
            let digits = rest.prefix(count)
            guard digits.utf8.count == count, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest = rest.dropFirst(count)
            return Int(digits)
        }
        func take(_ letters: String) -> Character? {
            guard let first = rest.first, letters.contains(first) else { return nil }
            rest = rest.dropFirst()
            return first
        }
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2)
        else { return nil }
        var hour = 0
        var minute = 0
        var second = 0
        var fraction = 0
        var offset = 0
        if !rest.isEmpty {
            guard take("Tt ") != nil, let hours = number(2), take(":") != nil, let minutes = number(2) else {
                return nil
            }
            (hour, minute) = (hours, minutes)
            if take(":") != nil {
                guard let seconds = number(2) else { return nil }
                second = seconds
                if take(".,") != nil {
                    let digits = rest.prefix { $0.isASCII && $0.isNumber }
                    guard !digits.isEmpty, let value = Int((digits + "00").prefix(3)) else { return nil }
                    fraction = value
                    rest = rest.dropFirst(digits.count)
                }
            }
            // A time without a zone is UTC, as in signatures.
            let sign = take("Zz+-")
            if sign == "+" || sign == "-" {
                guard let hours = number(2) else { return nil }
                _ = take(":")
                guard let minutes = number(2), hours <= 14, minutes <= 59 else { return nil }
                offset = (hours * 60 + minutes) * (sign == "-" ? -60 : 60)
            }
        }
        guard rest.isEmpty,
            let moment = Timestamp(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        self = moment.adding(.milliseconds(Int64(fraction) - Int64(offset) * 1000))
    }
}
