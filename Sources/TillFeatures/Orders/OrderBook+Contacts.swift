import TillCheckout
package import TillCore
import TillCounter
package import TillJournal
import TillWeb

/// The contacts in the order book. They are erased whatever is with the order's payments: damage there is no reason to
/// keep a contact.
extension OrderBook: ContactKeeper {
    /// Returns an order without its money; `nil` if it is not booked.
    func order(_ id: OrderID, of account: AccountID) async throws(JournalError) -> BookedOrder? {
        guard let stored = try await stored(id, of: account) else { return nil }
        return try BookedOrder(stored)
    }

    private func stored(_ id: OrderID, of account: AccountID) async throws(JournalError) -> KeptRecord? {
        try await journal.record(RecordID(BookedOrder.collection, OrderTab.key(account: account, order: id)))
    }

    /// Erases the customer, the address and the note of an order.
    /// - Returns: the order, and `false` if it had none of them.
    /// - Throws: ``CheckoutError/unknownOrder(_:)``.
    func eraseContact(_ id: OrderID, of account: AccountID) async throws -> (entry: Entry, isErased: Bool) {
        for _ in 1...OrderBook.maximumConflicts {
            guard let stored = try await stored(id, of: account) else { throw CheckoutError.unknownOrder(id) }
            let order = try BookedOrder(stored)
            guard order.isPersonal else { return (try await entry(id, of: account), false) }
            if try await erase(order, from: stored.version) { return (try await entry(id, of: account), true) }
        }
        throw CheckoutError.orderChanged(id)
    }

    /// Erases the contact of an order as it was read.
    /// - Returns: `false` if it was changed meanwhile.
    fileprivate func erase(
        _ order: BookedOrder, from version: Int, reason: String? = nil
    ) async throws(JournalError) -> Bool {
        var order = order
        order.content.contact = nil
        order.content.note = nil
        order.changes += 1
        order.updatedAt = clock.now()
        let note = AuditNote(
            .orderContactErased, account: order.account, subject: order.id.rawValue, reason: reason)
        do throws(JournalError) {
            try await journal.change(
                [.update(order.record, from: version), .insert(OrderChange(to: order).record)], noting: [note])
        } catch {
            guard case .recordConflict = error else { throw error }
            return false
        }
        feed.hinted([order.account])
        return true
    }

    package func renewRecords() async throws(JournalError) {
        try await RecordRenewal.run("order.due", of: BookedOrder.collection, in: journal) {
            (stored) throws(JournalError) in
            let order = try BookedOrder(stored)
            return order.isPersonal ? order.record : nil
        }
    }

    /// Erases contacts of orders that were last changed at `moment` or before.
    package func eraseContacts(keptSince moment: Timestamp, limit: Int) async throws(JournalError) -> Int {
        let due = try await journal.records(RecordQuery(BookedOrder.collection, .due(by: moment), limit: limit))
        var erased = 0
        for stored in due {
            // A damaged record keeps no other one from its end.
            guard let order = try? BookedOrder(stored), order.isPersonal else { continue }
            if try await erase(order, from: stored.version, reason: "retention") { erased += 1 }
        }
        return erased
    }
}

/// The notes on orders that the counter booked from baskets. Each is a copy of the basket's, so it is kept no longer
/// than a basket keeps its own, also where booked orders keep theirs without end.
package struct BasketNotes: ContactKeeper {
    private let book: OrderBook

    package init(_ book: OrderBook) { self.book = book }

    /// Has nothing to renew: such orders had the index value from the beginning.
    package func renewRecords() async throws(JournalError) {}

    /// Erases notes of orders that were booked at `moment` or before.
    package func eraseContacts(keptSince moment: Timestamp, limit: Int) async throws(JournalError) -> Int {
        let found = try await book.journal.records(
            RecordQuery(BookedOrder.collection, matching: BookedOrder.notedInBasket, limit: limit))
        var erased = 0
        for stored in found {
            // A damaged record keeps no other one from its end.
            guard let order = try? BookedOrder(stored), order.createdAt <= moment else { continue }
            if try await book.erase(order, from: stored.version, reason: "retention") { erased += 1 }
        }
        return erased
    }
}
