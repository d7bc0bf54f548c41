public import TillCore

/// A position in the outbox, which is ordered by due time: entries without one, which a process was working on, come
/// first.
public struct OutboxPlace: Hashable, Comparable, Sendable {
    /// The time at which the payment is due; `nil`: immediately, if its process has died.
    public var moment: Timestamp?
    public var payment: PaymentID

    public init(moment: Timestamp?, payment: PaymentID) {
        self.moment = moment
        self.payment = payment
    }

    /// Returns the position before all entries due later than `moment`.
    public static func later(than moment: Timestamp) -> OutboxPlace {
        OutboxPlace(moment: moment.adding(.milliseconds(1)), payment: PaymentID(rawValue: ""))
    }

    public static func < (left: OutboxPlace, right: OutboxPlace) -> Bool {
        (left.moment?.milliseconds ?? .min, left.payment.rawValue)
            < (right.moment?.milliseconds ?? .min, right.payment.rawValue)
    }
}
