internal import TillCore

/// Days of the Gregorian calendar, UTC.
enum CalendarDay {
    /// Days since 1970-01-01; month 1...12.
    static func days(year: Int, month: Int, day: Int) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return Int64(era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
    }

    /// The year of a moment.
    static func year(of time: Timestamp) -> Int { Int(time.description.prefix { $0 != "-" }) ?? 1970 }
}
