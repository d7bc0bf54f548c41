public import TillCore

/// A UTC day, by which exports are bounded and dated.
public struct LedgerDay: Hashable, Sendable, Comparable, CustomStringConvertible {
    private static let milliseconds: Int64 = 86_400_000
    /// The number of days since 1970-01-01.
    private let number: Int64

    /// Creates the UTC day that contains a time.
    public init(of moment: Timestamp) {
        let (days, rest) = moment.milliseconds.quotientAndRemainder(dividingBy: LedgerDay.milliseconds)
        number = rest < 0 ? days - 1 : days
    }

    /// Parses a date such as `2026-11-22`. `nil` for any other form and for dates that do not exist.
    public init?(_ text: String) {
        guard text.utf8.count == 10, let moment = Timestamp(internetTime: text + "T00:00:00Z") else { return nil }
        self.init(of: moment)
        guard description == text else { return nil }
    }

    private init(number: Int64) { self.number = number }

    public var next: LedgerDay { LedgerDay(number: number + 1) }

    public static func < (left: LedgerDay, right: LedgerDay) -> Bool { left.number < right.number }

    /// The date in ISO 8601, such as `2026-11-22`.
    public var description: String {
        String(Timestamp(milliseconds: number &* LedgerDay.milliseconds).description.prefix(10))
    }
}
