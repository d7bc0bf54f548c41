public import TillCore

/// What must not be in the journal when money is asked for. The conditions go with the write that begins the sale, so
/// no other process can come between.
public enum SaleGate {
    /// Conditions of a write that begins a sale, a further attempt or a refund.
    /// - Parameter order: `nil` where an order that is held does not matter, as for a refund.
    public static func conditions(account: AccountID, order: OrderID?) -> [RecordChange] {
        var conditions: [RecordChange] = [.absent(RestoreSweep.id)]
        if let order { conditions.append(.absent(OrderHold.id(account: account, order: order))) }
        return conditions
    }

    /// Why a write was refused.
    public enum Refusal: Hashable, Sendable {
        /// The journal was restored or set back, and what was sold since is not known yet.
        case restoring
        /// The order was paid, or may have been, by something that is in no payment of the journal.
        case orderHeld
    }

    /// What a ``JournalError/recordConflict(_:current:)`` at this record says; `nil` if it is none of the conditions.
    public static func refusal(at id: RecordID) -> Refusal? {
        switch id.collection {
        case RestoreSweep.collection: .restoring
        case OrderHold.collection: .orderHeld
        default: nil
        }
    }
}
