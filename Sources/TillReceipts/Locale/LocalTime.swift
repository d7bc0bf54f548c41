import Foundation
import TillCore

/// Formats a time on the shop's clock.
enum LocalTime {
    /// Formats a time as `2026-11-21 10:30:05 +01:00`, the same in every language.
    static func iso(_ moment: Timestamp, in zone: TimeZone) -> String { text(moment, in: zone, as: .iso) }

    /// The numeric date format of a language. English uses the international format, because its two conventions differ
    /// only in the position of the month.
    enum DayOrder: Sendable {
        case iso
        case dots
        case slashes
        case yearSlashes

        init(_ labels: ReceiptLabels) {
            switch labels.language {
            case "de", "pl", "he": self = .dots
            case "fr": self = labels.tag.hasSuffix("CA") ? .iso : .slashes
            case "es", "it", "ar": self = .slashes
            case "ja": self = .yearSlashes
            default: self = .iso
            }
        }
    }

    /// Formats date, time and offset in ASCII digits.
    static func text(_ moment: Timestamp, in zone: TimeZone, as order: DayOrder) -> String {
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
        let seconds = zone.secondsFromGMT(for: date)
        let shifted = moment.adding(.seconds(Int64(seconds))).description
        let parts = shifted.prefix { $0 != "T" }.split(separator: "-", omittingEmptySubsequences: false)
        let time = shifted.drop { $0 != "T" }.dropFirst().prefix(8)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let offset = "\(seconds < 0 ? "-" : "+")\(two(abs(seconds) / 3600)):\(two(abs(seconds) / 60 % 60))"
        var day = shifted.prefix { $0 != "T" }.description
        if parts.count == 3 {
            switch order {
            case .iso: break
            case .dots: day = "\(parts[2]).\(parts[1]).\(parts[0])"
            case .slashes: day = "\(parts[2])/\(parts[1])/\(parts[0])"
            case .yearSlashes: day = "\(parts[0])/\(parts[1])/\(parts[2])"
            }
        }
        return "\(day) \(time) \(offset)"
    }
}
