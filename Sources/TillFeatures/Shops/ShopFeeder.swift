import Logging
import Synchronization
import TillCore
import TillJournal

/// Finds the orders whose payments have changed. The marks and the shop's place in the journal are one commit: a crash
/// misses no payment.
final class ShopFeeder: Sendable {
    private let shops: ConnectedShops
    private let logger: Logger
    /// How far each shop's events were read by this process: events that concern no shop are not worth a write each.
    private let places = Mutex<[ConnectedShopID: Int64]>([:])

    init(shops: ConnectedShops, logger: Logger) { (self.shops, self.logger) = (shops, logger) }

    /// Reads on from a shop's place, some pages.
    func feed(_ id: ConnectedShopID) async throws(JournalError) {
        for _ in 0..<ShopSyncLimits.pagesPerTurn where try await !page(id) { return }
    }

    /// Reads a page.
    /// - Returns: `true` if there may be more.
    private func page(_ id: ConnectedShopID) async throws(JournalError) -> Bool {
        let store = shops.store
        guard let kept = try await store.record(RecordID(ConnectedShop.collection, id.rawValue)) else { return false }
        var shop = try ConnectedShop(kept)
        let written = shop.cursor
        let place = max(written, places.withLock { $0[id] } ?? 0)
        let readings = try await store.readings(
            after: place, account: shop.account, limit: ShopSyncLimits.eventsPerPage)
        guard let last = readings.last else { return false }
        shop.cursor = last.sequence
        let now = shops.clock.now()
        var changes: [RecordChange] = [.update(shop.record, from: kept.version)]
        for order in try await orders(of: readings) {
            let found = try await store.records(
                RecordQuery(
                    LinkedOrder.collection, matching: LinkedOrder.match(shop.account, order),
                    limit: ShopSyncLimits.shopsPerAccount))
            for one in found {
                // One that is damaged hides no other.
                guard var link = try LinkedOrder.readable(one), link.shop == shop.id else { continue }
                link.mark(isStale: false, at: now)
                changes.append(.update(link.record, from: one.version))
            }
        }
        if changes.count > 1 || last.sequence - written > ShopSyncLimits.eventsUntilWritten {
            do throws(JournalError) { try await store.change(changes) } catch {
                guard case .recordConflict = error else { throw error }
                return true
            }
        }
        places.withLock { $0[id] = last.sequence }
        return readings.count == ShopSyncLimits.eventsPerPage
    }

    /// Returns the orders of the payments of events.
    private func orders(of readings: [EventReading]) async throws(JournalError) -> Set<OrderID> {
        var seen: Set<PaymentID> = []
        var orders: Set<OrderID> = []
        for reading in readings where seen.insert(reading.payment).inserted {
            do throws(JournalError) {
                guard let payment = try await shops.store.payment(reading.payment) else { continue }
                orders.insert(payment.order.part?.order ?? payment.order.id)
            } catch {
                guard case .corrupted = error else { throw error }
                logger.error(
                    "A payment cannot be read, and no shop is told of it.",
                    metadata: ["payment": "\(reading.payment)", "sequence": "\(reading.sequence)"])
            }
        }
        return orders
    }
}
