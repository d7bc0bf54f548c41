public import TillCore

/// An agreement on later charges that the customer accepts in the payment sheet, beside what is charged at once.
///
/// It changes no amount of the sheet: the total is what is charged now. Whoever holds the agreement makes the later
/// charges; none is made by accepting it.
public struct BillingAgreement: Hashable, Sendable {
    /// One kind of charge that is repeated.
    public struct RecurringBilling: Hashable, Sendable {
        /// Label and amount of each charge.
        public var item: SheetItem
        /// The number of units from one charge to the next, from 1.
        public var count: Int
        /// The unit of the interval.
        public var unit: PaymentSheetRequest.Interval
        /// Time of the first charge; `nil` for the day of the payment.
        public var start: Timestamp?
        /// The end of the charges; `nil` until the customer cancels.
        public var end: Timestamp?

        /// Creates a charge that is repeated every `count` units.
        public init(
            item: SheetItem, every count: Int, _ unit: PaymentSheetRequest.Interval, start: Timestamp? = nil,
            end: Timestamp? = nil
        ) {
            self.item = item
            self.count = count
            self.unit = unit
            self.start = start
            self.end = end
        }
    }

    /// The last moment at which a deferred payment is canceled without a fee, and the zone that it is displayed in.
    public struct FreeCancellation: Hashable, Sendable {
        public var until: Timestamp
        /// A name of the time zone database, such as `Europe/London`.
        public var timeZone: String

        /// Creates a term of cancellation. Apple takes the moment with a zone only.
        public init(until: Timestamp, timeZone: String) {
            self.until = until
            self.timeZone = timeZone
        }
    }

    /// The later charges. The kinds exclude each other: Apple closes a sheet with two.
    public enum Terms: Hashable, Sendable {
        /// Charges at regular intervals, after a trial period if there is one.
        case recurring(regular: RecurringBilling, trial: RecurringBilling?)
        /// One charge on a later date.
        case deferred(SheetItem, on: Timestamp, FreeCancellation?)
        /// A balance that is topped up by the item's amount when it falls to the threshold.
        case automaticReload(SheetItem, threshold: Money)
    }

    /// The description of what is paid for, shown to the customer.
    public var description: String
    /// The conditions, shown to the customer before the payment is authorized; `nil` if the sheet shows none.
    public var text: String?
    /// The HTTPS address at which the customer manages or ends the agreement.
    public var managementURL: String
    /// The HTTPS address at which Apple reports changes to the merchant token; `nil` for no reports.
    public var notificationURL: String?
    /// The later charges.
    public var terms: Terms

    /// Creates an agreement. The addresses are not checked here.
    public init(
        description: String, text: String? = nil, managementURL: String, notificationURL: String? = nil, terms: Terms
    ) {
        self.description = description
        self.text = text
        self.managementURL = managementURL
        self.notificationURL = notificationURL
        self.terms = terms
    }
}
