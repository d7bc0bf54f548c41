internal import TillCore

/// Days of the Gregorian calendar, UTC.
enum CalendarDay {
    /// Returns the days since 1970-01-01; month 1...12.
    static func days(year: Int, month: Int, day: Int) -> Int64 {
        Timestamp.days(year: Int64(year), month: Int64(month), day: Int64(day))
    }

    /// Returns the year of a timestamp.
    static func year(of time: Timestamp) -> Int { Int(time.description.prefix { $0 != "-" }) ?? 1970 }
}
