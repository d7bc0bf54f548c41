public import TillCore

/// A day of UTC, by which exports are cut and dated.
public struct LedgerDay: Hashable, Sendable, Comparable, CustomStringConvertible {
    private static let milliseconds: Int64 = 86_400_000
    /// How many days lie between it and 1970-01-01.
    private let number: Int64

    /// The day of a moment.
    public init(of moment: Timestamp) {
        let (days, rest) = moment.milliseconds.quotientAndRemainder(dividingBy: LedgerDay.milliseconds)
        number = rest < 0 ? days - 1 : days
    }

    /// Reads `2026-11-22`. `nil` for anything else, and for days that there are not.
    public init?(_ text: String) {
        guard text.utf8.count == 10, let moment = Timestamp(internetTime: text + "T00:00:00Z") else { return nil }
        self.init(of: moment)
        guard description == text else { return nil }
    }

    private init(number: Int64) { self.number = number }

    public var next: LedgerDay { LedgerDay(number: number + 1) }

    public static func < (left: LedgerDay, right: LedgerDay) -> Bool { left.number < right.number }

    /// The date of ISO 8601, such as `2026-11-22`.
    public var description: String {
        String(Timestamp(milliseconds: number &* LedgerDay.milliseconds).description.prefix(10))
    }
}
