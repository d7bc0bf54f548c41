/// The limits of the day: the drawer's sessions and their reports.
package enum DayLimits {
    /// The largest amount of a float, a count or a movement, in minor units: twelve digits.
    package static let maximumAmount: Int64 = 999_999_999_999
    /// The maximum number of movements of cash beside sales in one session.
    package static let maximumMovements = 2_000
    /// The maximum number of drawers of an account beside its first.
    package static let maximumDrawers = 16
    /// The maximum number of counts of one session.
    package static let maximumCounts = 50
    /// The maximum number of denominations in one count.
    package static let maximumDenominations = 64
    /// The largest denomination, in minor units.
    package static let maximumDenomination: Int64 = 1_000_000_000
    /// The maximum number of pieces of one denomination.
    package static let maximumPieces: Int64 = 1_000_000
    /// The maximum length of a reason, in characters and in bytes.
    package static let maximumReason = 200
    package static let maximumReasonBytes = 800
    /// The maximum size of a request's body, in bytes.
    package static let maximumBodyBytes = 16 << 10
    /// The maximum number of reports in a page, and of the movements in all of them.
    package static let maximumPage = 100
    package static let maximumListedMovements = 5_000
    /// The number of reports in a page without a limit.
    package static let usualPage = 20
    /// The maximum number of events that one report counts.
    package static let maximumEvents = 5_000_000
    /// The number of payments whose state is kept while events are counted; the events of any other are read again.
    static let maximumFoldedPayments = 4_096
    /// The maximum number of payments that cannot be read; with more there is no report.
    static let maximumUnreadable = 1_000
    /// The maximum number of lines of a report's figures; further tenders and providers count together. A report has
    /// its lines twice, its tables once, and fits into a record.
    static let maximumLines = 192
    /// The maximum number of rows of a table, of rows with a name in all tables of a report, and of currencies with
    /// tables; further money counts in a row of its own.
    static let maximumRows = 32
    static let maximumRowsInAll = 240
    static let maximumPartedCurrencies = 16
    /// The maximum length of a row's name, in bytes.
    static let maximumRowNameBytes = 60
    /// The largest value of an order that is divided by its taxes, in minor units: fifteen digits.
    static let maximumDividedValue: Int64 = 999_999_999_999_999
    /// The maximum number of accounts whose figures are kept between requests.
    static let maximumKnown = 64
    /// The maximum number of attempts at a change while others change the same drawer.
    static let maximumConflicts = 16
}
