package import TillCore

/// The days of a question, and as many before them for comparison.
package struct InsightsSpan: Sendable {
    /// The side of the comparison that a moment is on.
    enum Side {
        case now, before
    }

    /// A moment of one of the two ranges, on the shop's clock.
    struct Place {
        var side: Side
        /// The day of the question's range; of one before, the day that it is compared with.
        var day: Int64
        /// 1 for Monday to 7 for Sunday.
        var weekday: Int
        var hour: Int
    }

    package let calendar: ShopCalendar
    /// The first and the last day.
    package let first: Int64
    package let last: Int64

    /// - Parameters:
    ///   - first: the first day.
    ///   - last: the last day, which is not before the first; at most ``InsightsLimits/maximumDays`` in all.
    package init(_ calendar: ShopCalendar, first: Int64, last: Int64) {
        (self.calendar, self.first, self.last) = (calendar, first, last)
    }

    package var count: Int64 { last - first + 1 }
    /// The first moment of the range before.
    package var beforeStart: Timestamp { calendar.start(of: first - count) }
    /// The first moment of the range.
    package var start: Timestamp { calendar.start(of: first) }
    /// The first moment after the range.
    package var end: Timestamp { calendar.start(of: last + 1) }

    /// Returns the place of a moment; `nil` outside both ranges.
    func place(of moment: Timestamp) -> Place? {
        let (day, hour) = calendar.local(moment)
        guard (first - count...last).contains(day) else { return nil }
        let side: Side = day < first ? .before : .now
        return Place(
            side: side, day: side == .now ? day : day + count, weekday: ShopCalendar.weekday(of: day), hour: hour)
    }
}
