import TillCore
import TillJournal

/// The orders of connected shops in the journal. One process works on them; others may note that there is something to
/// do, which a write of that process keeps.
struct LinkedOrders: Sendable {
    let store: ConnectedShops.Store
    let clock: any TillClock

    /// Returns an order; `nil` if the shop's order is not followed.
    func order(_ shop: ConnectedShopID, _ number: Int64) async throws(JournalError) -> LinkedOrder? {
        try await store.record(LinkedOrder.id(shop, number)).map { (kept) throws(JournalError) in
            try LinkedOrder(kept)
        }
    }

    /// Returns the orders of a shop that there is something to do about, the most overdue first.
    func due(of shop: ConnectedShopID, atMost count: Int) async throws(JournalError) -> [KeptRecord] {
        try await store.records(
            RecordQuery(
                LinkedOrder.collection, matching: LinkedOrder.match(shop), .due(by: clock.now()),
                limit: count))
    }

    /// Notes that a shop's order is to be read, and follows it from now on if it was not.
    func mark(_ number: Int64, of shop: ConnectedShop, as order: OrderID) async throws(JournalError) {
        let now = clock.now()
        for tries in 1... {
            let known = try await store.record(LinkedOrder.id(shop.id, number))
            var link = try known.map { (kept) throws(JournalError) in try LinkedOrder(kept) }
            link?.mark(isStale: true, at: now)
            let new = link ?? LinkedOrder(shop: shop, number: number, order: order, due: now)
            do throws(JournalError) { return try await store.change([.put(new.record, over: known)]) } catch {
                guard case .recordConflict = error, tries < ShopSyncLimits.maximumConflicts else { throw error }
            }
        }
    }

    /// Notes that every order of a shop is to be read.
    func markAll(of shop: ConnectedShop) async throws(JournalError) {
        var position: Int64?
        while true {
            let page = try await store.records(
                RecordQuery(
                    LinkedOrder.collection, matching: LinkedOrder.match(shop.id), .oldestFirst(after: position)))
            guard let last = page.last else { return }
            position = last.position
            for kept in page {
                guard let link = try LinkedOrder.readable(kept) else { continue }
                try await mark(link.number, of: shop, as: link.order)
            }
        }
    }

    /// Writes an order over whatever it was, and keeps what was noted since it was read.
    /// - Parameter isDone: `true` if everything noted by the time of reading is done, so that `due` holds.
    func save(_ link: LinkedOrder, isDone: Bool = false) async throws(JournalError) {
        for tries in 1... {
            guard let known = try await store.record(link.id) else { return }
            let newest = try LinkedOrder(known)
            var new = link
            if newest.marks > link.marks {
                new.marks = newest.marks
                new.due = newest.due
                new.isStale = link.isStale || newest.isStale
            } else if !isDone {
                new.due = newest.due
            }
            do throws(JournalError) { return try await store.change([.update(new.record, from: known.version)]) } catch
            {
                guard case .recordConflict = error, tries < ShopSyncLimits.maximumConflicts else { throw error }
            }
        }
    }

    /// Follows an order no more, unless something was noted about it meanwhile.
    func drop(_ link: LinkedOrder) async throws(JournalError) {
        guard let known = try await store.record(link.id), try LinkedOrder(known).marks == link.marks else { return }
        do throws(JournalError) { try await store.change([.delete(link.id, from: known.version)]) } catch {
            guard case .recordConflict = error else { throw error }
        }
    }
}
