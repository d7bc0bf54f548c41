public import TillCore

/// The expiry month; a card is valid until its last day. Masked wherever it is printed.
public struct Expiry: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Maximum years until expiry; issuers stay below it.
    public static let maximumYearsAhead = 30
    /// A two-digit year is read within the century that starts this many years ago.
    public static let yearsBack = 20

    private let value: Secret<CardExpiry>

    /// Creates an expiry from a month of 1...12 and a four-digit year.
    public init(month: Int, year: Int) throws(ExpiryError) {
        guard (1...12).contains(month) else { throw .month(month) }
        guard let value = CardExpiry(month: month, year: year) else { throw .unreadable }
        self.value = Secret(value)
    }

    /// Parses `M/YY`, `MM/YY`, `MM/YYYY`, `MMYY`, `MMYYYY`, `YYYY-MM` or `YYYYMM`, separated by slash, dash, dot or
    /// space, in digits of any script.
    /// - Parameter now: decides the century of a two-digit year.
    /// - Throws: ``ExpiryError``.
    public init(_ text: String, now: Timestamp) throws(ExpiryError) {
        let parts = try Expiry.parts(text)
        let (month, year): (String, String)
        switch (parts.count, parts.first?.utf8.count ?? 0, parts.last?.utf8.count ?? 0) {
        case (0, _, _): throw .empty
        case (2, 1...2, 2), (2, 1...2, 4): (month, year) = (parts[0], parts[1])
        case (2, 4, 1...2): (month, year) = (parts[1], parts[0])
        case (1, 4, _): (month, year) = (String(parts[0].prefix(2)), String(parts[0].suffix(2)))
        case (1, 6, _):
            let isMonthFirst = (1...12).contains(Int(parts[0].prefix(2)) ?? 0)
            month = String(isMonthFirst ? parts[0].prefix(2) : parts[0].suffix(2))
            year = String(isMonthFirst ? parts[0].suffix(4) : parts[0].prefix(4))
        default: throw .unreadable
        }
        guard let monthNumber = Int(month), let yearNumber = Int(year) else { throw .unreadable }
        try self.init(
            month: monthNumber, year: year.utf8.count == 2 ? Expiry.fullYear(yearNumber, now: now) : yearNumber)
    }

    /// Returns month and year. Call it only to send them to their single destination.
    public func reveal() -> CardExpiry { value.reveal() }

    /// ISO 8601 year and month, `YYYY-MM`.
    package var wireText: String {
        let expiry = value.reveal()
        return "\(expiry.year)-\(expiry.month < 10 ? "0" : "")\(expiry.month)"
    }

    /// Checks the expiry against the time: a card is valid until its month has ended everywhere on Earth (UTC-12).
    /// - Throws: ``ExpiryError/expired`` or ``ExpiryError/tooFarAhead``.
    public func check(at now: Timestamp) throws(ExpiryError) {
        let expiry = value.reveal()
        let next = expiry.month == 12 ? (expiry.year + 1, 1) : (expiry.year, expiry.month + 1)
        let days = CalendarDay.days(year: next.0, month: next.1, day: 1)
        let end = Timestamp(milliseconds: days * 86_400_000).adding(.hours(12))
        guard now < end else { throw .expired }
        guard expiry.year <= CalendarDay.year(of: now) + Expiry.maximumYearsAhead else { throw .tooFarAhead }
    }

    /// Always the same mask.
    public var description: String { "••/••" }
    /// Always the same mask.
    public var debugDescription: String { "••/••" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Splits the text into runs of digits.
    private static func parts(_ text: String) throws(ExpiryError) -> [String] {
        var parts: [String] = []
        var isInside = false
        for scalar in text.unicodeScalars.prefix(32) {
            if let digit = TypedDigits.value(of: scalar) {
                if !isInside { parts.append("") }
                isInside = true
                parts[parts.count - 1].unicodeScalars.append(Unicode.Scalar(0x30 + digit))
            } else if TypedDigits.isSeparator(scalar) || scalar == "/" || scalar == "\u{FF0F}" || scalar == "\u{2044}" {
                isInside = false
            } else {
                throw .unreadable
            }
        }
        return parts
    }

    private static func fullYear(_ year: Int, now: Timestamp) -> Int {
        let thisYear = CalendarDay.year(of: now)
        let lowest = thisYear - yearsBack
        let candidate = lowest - lowest % 100 + year
        return candidate < lowest ? candidate + 100 : candidate
    }
}

/// An expiry validation error. Its messages never repeat the input.
public enum ExpiryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The input has no digits.
    case empty
    /// Not a month and a year.
    case unreadable
    /// Not a month of 1 to 12.
    case month(Int)
    /// The card has expired.
    case expired
    /// The expiry is implausibly far ahead.
    case tooFarAhead

    /// A display sentence.
    public var description: String {
        switch self {
        case .empty: "Enter the card's expiry month and year."
        case .unreadable: "The expiry must be a month and a year, such as 12/30."
        case .month: "The expiry's month must be 01 to 12."
        case .expired: "The card has expired."
        case .tooFarAhead: "The expiry is too far in the future: check it on the card."
        }
    }
}
