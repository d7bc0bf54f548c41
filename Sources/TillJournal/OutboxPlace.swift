public import TillCore

/// A place in the outbox, which is in the order of its moments: what has none, since a process worked on it, comes
/// first.
public struct OutboxPlace: Hashable, Comparable, Sendable {
    /// When something is to be done on the payment; `nil`: at once, if its process has died.
    public var moment: Timestamp?
    public var payment: PaymentID

    public init(moment: Timestamp?, payment: PaymentID) {
        self.moment = moment
        self.payment = payment
    }

    /// Before everything that is planned later than a moment.
    public static func later(than moment: Timestamp) -> OutboxPlace {
        OutboxPlace(moment: moment.adding(.milliseconds(1)), payment: PaymentID(rawValue: ""))
    }

    public static func < (left: OutboxPlace, right: OutboxPlace) -> Bool {
        (left.moment?.milliseconds ?? .min, left.payment.rawValue)
            < (right.moment?.milliseconds ?? .min, right.payment.rawValue)
    }
}
