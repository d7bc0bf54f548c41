import TillCheckout
package import TillCore
import TillCounter
package import TillJournal
import TillWeb

/// Orders that were paid in the sheet of a basket and that no shop has booked. The counter books them, so that those
/// who prepare orders see each order that a customer has paid.
extension OrderBook {
    /// The result of booking the order of a paid basket.
    package enum BasketBooking: Hashable, Sendable {
        case booked
        /// An earlier basket had booked the order; it has the goods of this one now, and is to be prepared again.
        case replaced
        /// The order is booked by its shop or from this basket, or was canceled; or it is booked from another basket,
        /// and this one's payment was given back. It is unchanged.
        case known
    }

    /// Books the order of a paid basket, unless it is booked. Idempotent by the order: of any number of callers, in any
    /// process, one books it, and after a crash between the commits the next call goes on.
    /// - Parameters:
    ///   - content: what was paid. The customer is not in it: the contact stays in the basket.
    ///   - payment: the payment that paid it.
    ///   - change: the basket's own change, by which it is known as done; in the commit that books the order, or by
    ///     itself if there is nothing to book.
    /// - Throws: `JournalError/recordConflict(_:current:)` if the basket has changed: nothing was booked.
    ///   ``Problem`` for an order that cannot be booked.
    package func book(
        _ content: BookedOrder.Content, paidIn basket: String, by payment: PaymentID, of account: AccountID,
        beside change: RecordChange
    ) async throws -> BasketBooking {
        let order = BookedOrder(account: account, content: content, from: .basket(basket), at: clock.now())
        try OrderRequest.check(order)
        for tries in 1... {
            do {
                guard let kept = try await kept(order.id, of: account), kept.tab.state != .opening else {
                    guard try await insert(order, beside: [change]) else { continue }
                    return .booked
                }
                guard kept.order.origin != .shop, kept.order.origin != order.origin, kept.order.state != .canceled,
                    // Read after the tab: a later basket's payment changes it, and the commit is refused.
                    try await checkout.readable(payment)?.isLive == true
                else {
                    try await journal.change([change])
                    return .known
                }
                try await follow(kept, order, beside: change)
                return .replaced
            } catch JournalError.recordConflict(let id, _) where id != change.id && tries < OrderBook.maximumConflicts {
                continue
            }
        }
        throw CheckoutError.orderChanged(order.id)
    }

    /// Replaces the content of an order that another basket had booked. Nothing of that is paid any more, or this one
    /// could not be.
    private func follow(_ kept: Kept, _ order: BookedOrder, beside change: RecordChange) async throws {
        var (next, tab) = (kept.order, kept.tab)
        next.content = order.content
        next.fingerprint = order.fingerprint
        next.origin = order.origin
        next.state = .open
        next.changes += 1
        next.updatedAt = clock.now()
        tab.total = order.content.order.total
        try await journal.change(
            [
                .update(next.record, from: kept.orderVersion), .update(tab.record, from: kept.tabVersion),
                .insert(OrderChange(to: next).record), change,
            ], noting: [note(.orderChanged, next, from: kept.order)])
        feed.hinted([order.account])
    }
}
