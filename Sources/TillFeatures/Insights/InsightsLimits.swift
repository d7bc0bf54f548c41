import TillCore

/// The limits of one question about a span of days. What they leave unread the answer names.
package enum InsightsLimits {
    /// The maximum number of days of a question; as many before them are compared with.
    package static let maximumDays: Int64 = 400
    /// The number of days of a question that names none.
    package static let usualDays: Int64 = 14
    /// The maximum number of payments whose rows are examined.
    package static let maximumRows = 100_000
    /// The maximum number of payments whose events are read.
    package static let maximumPayments = 20_000
    /// The maximum number of events that are read; the payment that exceeds it is the last one.
    package static let maximumEvents = 400_000
    /// The maximum number of questions that are answered at the same time.
    package static let maximumAtOnce = 4
    /// The maximum number of those of one account.
    package static let maximumOfAccount = 2
    /// The maximum length of the name of a time zone, in bytes.
    package static let maximumZoneBytes = 64
    /// The maximum number of refund reasons and of declines with a line of their own; further ones count together.
    package static let maximumReasons = 50
    /// The maximum number of tenders with a line of their own; further ones count together.
    package static let maximumTenders = 32
    /// The maximum number of disputes in an answer.
    package static let maximumDisputes = 100
    /// The maximum number of unreadable payments that are named; all are counted.
    package static let maximumNamed = 100
    /// The maximum number of payouts in an answer, newest first.
    package static let maximumPayouts = 50
    /// The maximum number of statement lines that are read for them.
    package static let maximumLines = 20_000
    /// The maximum number of payments of the attention queue that are read.
    package static let maximumAttention = 500
    /// The tolerance for the time in a payment's identifier, and for clocks that were set back slightly.
    static let slack = Span.minutes(5)

    /// The limits of reading, which tests make smaller.
    package struct Reading: Hashable, Sendable {
        package var rows = InsightsLimits.maximumRows
        package var payments = InsightsLimits.maximumPayments
        package var events = InsightsLimits.maximumEvents

        package init() {}
    }
}
