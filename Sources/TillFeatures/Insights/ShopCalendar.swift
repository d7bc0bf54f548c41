package import Foundation
package import TillCore

/// Days and hours on the clock of a time zone. A day is counted from 1970-01-01, whatever its length: with daylight
/// saving time one has 23 hours and one has 25.
package struct ShopCalendar: Sendable {
    package let zone: TimeZone

    package init(_ zone: TimeZone) { self.zone = zone }

    /// Returns the day and the hour (0 to 23) of a moment.
    package func local(_ moment: Timestamp) -> (day: Int64, hour: Int) {
        let seconds = localSeconds(seconds(of: moment))
        let day = ShopCalendar.floor(seconds, by: 86_400)
        return (day, Int((seconds - day * 86_400) / 3_600))
    }

    /// Returns the first moment of a day. Where the clock skips midnight it is the moment after the gap.
    package func start(of day: Int64) -> Timestamp {
        // Zones are between 15 hours ahead of UTC and 15 behind it.
        var (low, high) = (day * 86_400 - 54_000, day * 86_400 + 54_000)
        while low < high {
            let middle = low + (high - low) / 2
            if ShopCalendar.floor(localSeconds(middle), by: 86_400) >= day {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return Timestamp(milliseconds: low * 1_000)
    }

    private func seconds(of moment: Timestamp) -> Int64 { ShopCalendar.floor(moment.milliseconds, by: 1_000) }

    private func localSeconds(_ seconds: Int64) -> Int64 {
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        return seconds.clampedSum(Int64(offset))
    }

    private static func floor(_ value: Int64, by unit: Int64) -> Int64 {
        let whole = value / unit
        return value % unit < 0 ? whole - 1 : whole
    }

    // MARK: Names

    /// The days that a question may name: 1970-01-02 to 9998-12-31.
    static let days = 1...Timestamp.days(year: 9998, month: 12, day: 31)

    /// Returns the weekday of a day: 1 for Monday to 7 for Sunday (ISO 8601).
    package static func weekday(of day: Int64) -> Int {
        // 1970-01-01 was a Thursday.
        let rest = (day + 3) % 7
        return Int(rest < 0 ? rest + 7 : rest) + 1
    }

    /// Returns the Monday of a day's week.
    package static func monday(of day: Int64) -> Int64 { day - Int64(weekday(of: day)) + 1 }

    /// Returns a day as `2026-11-21`.
    package static func text(_ day: Int64) -> String {
        String(Timestamp(milliseconds: day * 86_400_000).description.prefix(10))
    }

    /// Reads a day such as `2026-11-21`; `nil` for anything else.
    package static func day(_ text: String) -> Int64? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.count == 3, let year = Int64(parts[0]), let month = Int64(parts[1]),
            let dayOfMonth = Int64(parts[2]), (1...12).contains(month), (1...31).contains(dayOfMonth),
            (1_970...9_998).contains(year)
        else { return nil }
        let day = Timestamp.days(year: year, month: month, day: dayOfMonth)
        return days.contains(day) && ShopCalendar.text(day) == text ? day : nil
    }
}

extension Int64 {
    /// Returns the sum, or the nearest value that fits: a damaged journal must not end the process.
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, or the nearest value that fits.
    func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
