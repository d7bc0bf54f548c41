import Synchronization
package import TillCore

/// The `Date` header, formatted once a second since every response carries it.
package final class HTTPDate: Sendable {
    private let clock: any TillClock
    private let last = Mutex((second: Int64.min, text: ""))

    package init(_ clock: any TillClock) { self.clock = clock }

    /// The current time in RFC 9110 format, such as `Sat, 21 Nov 2026 09:30:00 GMT`.
    package var now: String {
        let moment = clock.now()
        let second = moment.milliseconds / 1000
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate.text(moment)) }
            return last.text
        }
    }

    package static func text(_ moment: Timestamp) -> String {
        // 2026-11-21T09:30:00.000Z: fixed positions, unless the year does not have four digits.
        let text = moment.description.utf8
        let parts = text.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "T") || $0 == UInt8(ascii: ".") }
            .map { String(decoding: $0, as: UTF8.self) }
        guard text.count == 24, parts.count == 5, let month = Int(parts[1]), (1...12).contains(month) else { return "" }
        // 1 January 1970 was a Thursday.
        let days = moment.milliseconds / 86_400_000
        let weekday = weekdays[Int((days % 7 + 7 + 4) % 7)]
        return "\(weekday), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
