package import Foundation
package import TillCore

/// The shop's clock, by which a day is shown.
package struct DayClock: Sendable {
    package let zone: TimeZone

    package init(_ zone: TimeZone) { self.zone = zone }

    /// Returns a moment such as `2026-11-21T10:30:00+01:00`.
    package func text(_ moment: Timestamp) -> String {
        let offset = offset(moment)
        let (local, overflow) = moment.milliseconds.addingReportingOverflow(offset * 1_000)
        guard !overflow else { return moment.description }
        let minutes = abs(offset) / 60
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let written = Timestamp(milliseconds: local).description.prefix { $0 != "." && $0 != "Z" }
        return "\(written)\(offset < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
    }

    /// Returns the second of the day at a moment, 0 to 86,399.
    func secondOfDay(_ moment: Timestamp) -> Int64 {
        let local = seconds(moment).limitedSum(offset(moment))
        return ((local % 86_400) + 86_400) % 86_400
    }

    /// The seconds since 1970, rounded down.
    private func seconds(_ moment: Timestamp) -> Int64 {
        moment.milliseconds / 1_000 - (moment.milliseconds % 1_000 < 0 ? 1 : 0)
    }

    /// The seconds by which the clock is ahead of UTC.
    private func offset(_ moment: Timestamp) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds(moment)))))
    }
}
