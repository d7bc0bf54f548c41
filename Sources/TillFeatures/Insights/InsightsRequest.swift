import Foundation
import TillCore
import TillWeb

/// The span of days that the query of a request asks for.
enum InsightsRequest {
    static let names = ["from", "until", "zone"]

    /// Returns the span: the days of the query, or the last ``InsightsLimits/usualDays``.
    /// - Parameter zone: the shop's time zone, for a query without one.
    static func span(
        from: String?, until: String?, zone name: String?, in zone: TimeZone, at now: Timestamp
    ) throws(Problem) -> InsightsSpan {
        let calendar = ShopCalendar(try self.zone(name) ?? zone)
        let today = calendar.local(now).day
        let first = try day(from, "from")
        let last = try day(until, "until") ?? first.map { max($0, today) } ?? today
        let start = first ?? last - (InsightsLimits.usualDays - 1)
        guard start <= last else { throw Problem.field("until", "It must not be before from.") }
        guard last - start < InsightsLimits.maximumDays else {
            throw Problem.field("until", "It must be at most \(InsightsLimits.maximumDays) days, both ends included.")
        }
        return InsightsSpan(calendar, first: start, last: last)
    }

    private static func day(_ text: String?, _ name: String) throws(Problem) -> Int64? {
        guard let text else { return nil }
        guard let day = ShopCalendar.day(text) else {
            throw Problem.field(name, "It must be a day such as 2026-11-21.")
        }
        return day
    }

    private static func zone(_ name: String?) throws(Problem) -> TimeZone? {
        guard let name else { return nil }
        guard (1...InsightsLimits.maximumZoneBytes).contains(name.utf8.count),
            name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let zone = TimeZone(identifier: name)
        else { throw Problem.field("zone", "It must be the name of a time zone, such as Europe/Berlin.") }
        return zone
    }
}
