import TillCore
import TillJournal
import TillOrders
import TillShop

/// Asks a shop for the orders that have changed. Its notifications are hints only: some are lost.
struct ShopPoller: Sendable {
    let shops: ConnectedShops
    let links: LinkedOrders
    let scope: OrderScope?
    let pause: Span

    /// Marks the orders that changed since the last time; the first time those that wait for money.
    func poll(_ shop: ConnectedShop, _ client: ShopClient) async throws {
        guard let seen = shop.seenUntil else {
            // Whatever happened since an earlier connection: those that are followed are read again.
            try await links.markAll(of: shop)
            return try await take(try await client.orders(in: [.pending, .failed]), of: shop, isFirst: true)
        }
        let since = seen.adding(.milliseconds(-ShopSyncLimits.overlap.milliseconds))
        // A list of every status has no order that is in the trash.
        let trashed = try await client.orders(in: [.trash], modifiedAfter: since)
        try await take(try await client.orders(modifiedAfter: since) + trashed, of: shop, isFirst: false)
    }

    private func take(_ orders: [ShopOrder], of shop: ConnectedShop, isFirst: Bool) async throws {
        for order in orders {
            let link: LinkedOrder?
            do throws(JournalError) { link = try await links.order(shop.id, order.id) } catch {
                guard case .corrupted = error else { throw error }
                continue
            }
            guard link != nil || order.needsPayment else { continue }
            // After a reconnection nothing is taken to be known.
            guard isFirst || link?.seen != LinkedOrder.Seen(order) else { continue }
            try await links.mark(order.id, of: shop, as: try Self.name(order, shop.scope ?? scope))
        }
        // By the shop's own clock: this one's may differ.
        guard var newest = orders.map(\.modified).max() else { return }
        // A time in the future, as an import writes it, would hide every change before it.
        let now = shops.clock.now()
        if newest > now.adding(ShopSyncLimits.clockDifference) { newest = now }
        _ = try await Records<ConnectedShop>(shops.store).update(shop.id.rawValue) { (shop) throws(JournalError) in
            guard shop.seenUntil.map({ $0 < newest || $0 > now.adding(ShopSyncLimits.clockDifference) }) ?? true else {
                return false
            }
            shop.seenUntil = newest
            return true
        }
    }

    /// Returns the order's identifier on the counter: the shop's own, in the scope.
    static func name(_ order: ShopOrder, _ scope: OrderScope?) throws -> OrderID {
        let id = try OrderID(validating: String(order.id))
        return try scope?.id(of: id) ?? id
    }
}
