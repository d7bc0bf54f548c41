/// A moment, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// ```swift
/// let now = SystemClock().now()
/// let due = now.adding(.days(7))
/// guard let ordered = Timestamp(internetTime: "2026-11-21T10:30:00+01:00") else { return }
/// print(ordered, ordered < due)  // 2026-11-21T09:30:00.000Z, and whether that is before the due date
/// print(now.since(ordered).milliseconds / 1000, "seconds ago")
/// ```
public struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970, UTC.
    public let milliseconds: Int64

    /// Creates a moment from milliseconds since 1970, UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Returns the moment that much later; clamps to the range instead of trapping.
    public func adding(_ span: Span) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(span.milliseconds)
        return Timestamp(milliseconds: overflow ? (span.milliseconds < 0 ? .min : .max) : sum)
    }

    /// Returns the span from `earlier` to this moment.
    public func since(_ earlier: Timestamp) -> Span {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return Span(milliseconds: overflow ? .max : difference)
    }

    /// The moment in ISO 8601, in UTC with milliseconds, as `2026-11-21T09:30:00.000Z`.
    public var description: String {
        // Rounded down, also before 1970.
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let days = Int(clamping: remainder < 0 ? quotient - 1 : quotient)
        let inDay = Int(remainder < 0 ? remainder + 86_400_000 : remainder)
        let (year, month, day) = Timestamp.civil(fromDays: days)
        // 24 bytes; a year of the whole range has at most six more than four.
        return String(unsafeUninitializedCapacity: 32) { text in
            var count = 0
            func put(_ byte: UInt8) {
                text[count] = byte
                count += 1
            }
            func put(_ value: Int, width: Int) {
                guard value >= 0, value < 10_000 else {
                    for byte in String(value).utf8 { put(byte) }
                    return
                }
                var power = width > 3 ? 1000 : width > 2 ? 100 : 10
                while power > 0 {
                    put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / power % 10))
                    power /= 10
                }
            }
            put(year, width: 4)
            put(UInt8(ascii: "-"))
            put(month, width: 2)
            put(UInt8(ascii: "-"))
            put(day, width: 2)
            put(UInt8(ascii: "T"))
            put(inDay / 3_600_000, width: 2)
            put(UInt8(ascii: ":"))
            put(inDay / 60_000 % 60, width: 2)
            put(UInt8(ascii: ":"))
            put(inDay / 1000 % 60, width: 2)
            put(UInt8(ascii: "."))
            put(inDay % 1000, width: 3)
            put(UInt8(ascii: "Z"))
            return count
        }
    }

    /// Returns year, month and day of a count of days since 1970-01-01 in the proleptic Gregorian calendar.
    private static func civil(fromDays days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

/// A length of time in whole milliseconds.
public struct Span: Hashable, Sendable, Comparable {
    /// Milliseconds; negative is backwards.
    public let milliseconds: Int64
    /// Creates a length of time from milliseconds.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    public static func < (left: Span, right: Span) -> Bool { left.milliseconds < right.milliseconds }
    public static func milliseconds(_ count: Int64) -> Span { Span(milliseconds: count) }
    public static func seconds(_ count: Int64) -> Span { Span(milliseconds: count * 1000) }
    public static func minutes(_ count: Int64) -> Span { .seconds(count * 60) }
    public static func hours(_ count: Int64) -> Span { .minutes(count * 60) }
    /// Returns a span of days of 24 hours.
    public static func days(_ count: Int64) -> Span { .hours(count * 24) }
    public var duration: Duration { .milliseconds(milliseconds) }
}
