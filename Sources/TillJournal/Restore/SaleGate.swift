public import TillCore

/// Preconditions for requesting money. They are part of the write that begins the sale, so no other process can
/// intervene.
public enum SaleGate {
    /// Returns the preconditions of a write that begins a sale, a further attempt or a refund.
    /// - Parameter order: `nil` if a hold on the order is irrelevant, as for a refund.
    public static func conditions(account: AccountID, order: OrderID?) -> [RecordChange] {
        let hold = order.map { OrderHold.id(account: account, order: $0) }
        return conditions(account: account, order: order, hold: hold)
    }

    /// Returns the same for a caller that has the identifier of the order's hold already: a hash.
    package static func conditions(account: AccountID, order: OrderID?, hold: RecordID?) -> [RecordChange] {
        var conditions: [RecordChange] = [.absent(RestoreSweep.id)]
        // A creation adds one or two.
        conditions.reserveCapacity(4)
        if let hold { conditions.append(.absent(hold)) }
        if let earlier = order.flatMap({ OrderHold.earlierID(account: account, order: $0) }) {
            conditions.append(.absent(earlier))
        }
        return conditions
    }

    /// The reason a write was refused.
    public enum Refusal: Hashable, Sendable {
        /// The journal was restored or set back, and sales since then may be missing.
        case restoring
        /// The order was paid, or may have been paid, outside the journal.
        case orderHeld
    }

    /// Returns the meaning of a ``JournalError/recordConflict(_:current:)`` at this record; `nil` if it is not a
    /// precondition.
    public static func refusal(at id: RecordID) -> Refusal? {
        switch id.collection {
        case RestoreSweep.collection: .restoring
        case OrderHold.collection: .orderHeld
        default: nil
        }
    }
}
