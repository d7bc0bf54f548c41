public import TillCore

/// Preconditions for requesting money. They are part of the write that begins the sale, so no other process can
/// intervene.
public enum SaleGate {
    /// Returns the preconditions of a write that begins a sale, a further attempt or a refund.
    /// - Parameter order: `nil` if a hold on the order is irrelevant, as for a refund.
    public static func conditions(account: AccountID, order: OrderID?) -> [RecordChange] {
        var conditions: [RecordChange] = [.absent(RestoreSweep.id)]
        if let order { conditions.append(.absent(OrderHold.id(account: account, order: order))) }
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
