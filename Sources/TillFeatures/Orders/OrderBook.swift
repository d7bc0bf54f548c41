import HTTPTypes
package import TillCheckout
package import TillCore
import TillCounter
package import TillJournal
package import TillWeb

/// The orders of the counter's accounts. Each change is durable, with its entry in the audit log, before it is
/// reported.
package struct OrderBook: Sendable {
    /// The maximum number of attempts at a change while others change the same order.
    static let maximumConflicts = Checkout.maximumConflicts

    /// An order with its money.
    package struct Entry: Sendable {
        package var order: BookedOrder
        package var money: OrderMoney
    }

    /// The money of an order, as far as its payments can be read.
    package enum OrderMoney: Sendable {
        /// The payments, oldest first, and their sums.
        case known(OrderBalance, [Payment])
        /// A payment cannot be read, so that nothing is known of the sums.
        case unreadable(PaymentID)

        /// `true` if all is captured.
        package var isPaid: Bool {
            if case .known(let balance, _) = self { return balance.status == .paid }
            return false
        }
    }

    let journal: any Journal & RecordStore
    let checkout: Checkout
    let feed: EventFeed
    let clock: any TillClock

    package init(_ journal: any Journal & RecordStore, checkout: Checkout, feed: EventFeed, clock: any TillClock) {
        (self.journal, self.checkout, self.feed, self.clock) = (journal, checkout, feed, clock)
    }

    // MARK: Reading

    /// An order and its tab, each with the version that was read.
    struct Kept {
        var order: BookedOrder
        var orderVersion: Int
        var tab: OrderTab
        var tabVersion: Int
    }

    func kept(_ id: OrderID, of account: AccountID) async throws -> Kept? {
        let key = OrderTab.key(account: account, order: id)
        guard let stored = try await journal.record(RecordID(BookedOrder.collection, key)),
            let tab = try await journal.record(RecordID(OrderTab.collection, key))
        else { return nil }
        return Kept(
            order: try BookedOrder(stored), orderVersion: stored.version, tab: try OrderTab(tab),
            tabVersion: tab.version)
    }

    /// Returns an order with its money.
    /// - Throws: ``CheckoutError/unknownOrder(_:)``.
    package func entry(_ id: OrderID, of account: AccountID) async throws -> Entry {
        guard let kept = try await kept(id, of: account) else { throw CheckoutError.unknownOrder(id) }
        return try await entry(kept.order, kept.tab)
    }

    private func entry(_ order: BookedOrder, _ tab: OrderTab) async throws -> Entry {
        do throws(CheckoutError) {
            let payments = try await checkout.payments(on: tab)
            let balance = OrderBalance(total: order.content.order.total, payments: payments)
            return Entry(order: order, money: .known(balance, payments))
        } catch {
            switch error {
            // A payment of a tab that is not there is damage, too.
            case .unreadablePayment(let id, _), .unknownPayment(let id):
                return Entry(order: order, money: .unreadable(id))
            default: throw error
            }
        }
    }

    /// Returns an order of a list with its money; `nil` for one that is being booked at this moment.
    func entry(_ order: BookedOrder) async throws -> Entry? {
        guard let tab = try await journal.record(OrderTab.id(account: order.account, order: order.id)) else {
            return nil
        }
        return try await entry(order, try OrderTab(tab))
    }

    // MARK: Booking

    /// Books an order, or returns the one that was booked with the same content. The content of an order that the
    /// counter booked from a basket is replaced as by ``replace(_:of:)``: the shop knows better what it sold.
    /// - Throws: ``Problem/orderExists(_:)`` for an order with other content, ``Problem/orderName(_:)`` for a name
    ///   under which it could not be read, ``Problem/orderSoldTooOften(_:)`` for more payments than a tab has.
    package func book(
        _ content: BookedOrder.Content, of account: AccountID
    ) async throws -> (entry: Entry, isNew: Bool) {
        let order = BookedOrder(account: account, content: content, at: clock.now())
        guard !BookedOrder.reservedNames.contains(order.id.rawValue) else { throw Problem.orderName(order.id) }
        for tries in 1... {
            if let kept = try await kept(order.id, of: account), kept.tab.state != .opening {
                guard kept.order.origin == .shop else {
                    return (try await replace(content, of: account, onlyOfBasket: true), true)
                }
                guard kept.order.fingerprint == order.fingerprint else { throw Problem.orderExists(order.id) }
                return (try await entry(kept.order, kept.tab), false)
            }
            do {
                guard try await insert(order) else { continue }
            } catch JournalError.recordConflict where tries < OrderBook.maximumConflicts { continue }
            return (try await entry(order.id, of: account), true)
        }
        throw CheckoutError.orderChanged(order.id)
    }

    /// Makes one of the two commits that book an order.
    ///
    /// After the first, which opens the tab, no payment is made for the order without it; what was made before is then
    /// found and added by the second, which books the order: all of it, since the money of a payment that is over can
    /// come back.
    /// - Parameter changes: further changes in the commit that books the order.
    /// - Returns: `true` if the order is booked; `false` if the other commit is to follow.
    func insert(_ order: BookedOrder, beside changes: [RecordChange] = []) async throws -> Bool {
        let known = try await journal.record(OrderTab.id(account: order.account, order: order.id))
        // Read second: a payment that is made meanwhile has changed the tab.
        let sold = try await sold(order)
        var tab = OrderTab(account: order.account, order: order.id, total: order.content.order.total)
        guard let known else {
            try await journal.change([.insert(tab.record)])
            return false
        }
        for payment in sold { tab = tab.adding(payment) }
        tab.state = .open
        tab.followsPayments = order.origin != .shop
        try await journal.change(
            [
                .update(tab.record, from: known.version), .insert(order.record),
                .insert(OrderChange(to: order).record),
            ] + changes, noting: [note(.orderBooked, order)])
        feed.hinted([order.account])
        return true
    }

    /// Returns the payments that were made under the identifier of an order, oldest first, live or not.
    private func sold(_ order: BookedOrder) async throws -> [PaymentID] {
        let most = OrderTab.maximumPayments
        let newest = try await journal.rowReadings(
            PaymentFilter(account: order.account, order: order.id, limit: most + 1))
        guard newest.count <= most else { throw Problem.orderSoldTooOften(order.id) }
        return newest.reversed().map(\.id)
    }

    /// Replaces the content of an order that is not over, as long as its payments have or ask for no more than its new
    /// total. What partial refunds gave back does not count.
    package func replace(_ content: BookedOrder.Content, of account: AccountID) async throws -> Entry {
        try await replace(content, of: account, onlyOfBasket: false)
    }

    /// - Parameter onlyOfBasket: `true` to refuse other content for an order that is a shop's by now.
    private func replace(
        _ content: BookedOrder.Content, of account: AccountID, onlyOfBasket: Bool
    ) async throws -> Entry {
        try await change(content.order.id, of: account, .orderChanged) { kept, balance, _ in
            let isSame = kept.order.fingerprint == content.fingerprint
            let isShops = kept.order.origin == .shop
            if onlyOfBasket, isShops {
                guard isSame else { throw Problem.orderExists(kept.order.id) }
                return false
            }
            guard kept.order.isCurrent else { throw Problem.orderOver(kept.order) }
            guard !isSame || !isShops else { return false }
            let asked = balance.kept
            let isUnasked = balance.paid.isZero && balance.reserved.isZero
            guard isUnasked || asked.currency == content.order.currency else {
                throw Problem.orderCurrency(kept.order)
            }
            guard asked.minorUnits <= content.order.total.minorUnits else {
                throw Problem.orderBelowPaid(kept.order, asked, content.order.total)
            }
            kept.order.content = content
            kept.order.fingerprint = content.fingerprint
            kept.order.origin = .shop
            kept.tab.total = content.order.total
            kept.tab.followsPayments = false
            return true
        }
    }

    /// Moves an order to a state. One that is there already is left unchanged.
    /// - Parameter acceptsUnpaid: `true` to hand over the goods of an order that is not paid.
    package func move(
        _ id: OrderID, of account: AccountID, to state: BookedOrder.State, acceptsUnpaid: Bool = false
    ) async throws -> Entry {
        try await move(id, of: account, to: state, acceptsUnpaid: acceptsUnpaid, by: nil)
    }

    /// Moves an order to a state, for a member of staff if one asks for it. To undo a cancellation or a hand-over, and
    /// to hand over unpaid goods, they need the permission to cancel.
    func move(
        _ id: OrderID, of account: AccountID, to state: BookedOrder.State, acceptsUnpaid: Bool = false,
        by person: StaffGrant?
    ) async throws -> Entry {
        try await change(id, of: account, state.action) { kept, balance, payments in
            guard kept.order.state != state else { return false }
            guard state.previous.contains(kept.order.state) else { throw Problem.orderOver(kept.order) }
            if state == .open, !kept.order.isCurrent { try person?.require(.void) }
            switch state {
            case .fulfilled:
                guard balance.status != .paid else { break }
                guard acceptsUnpaid else { throw Problem.orderUnpaid(kept.order, balance) }
                try person?.require(.void)
            case .canceled:
                guard let live = payments.last(where: \.isLive) else { break }
                throw Problem.orderHasMoney(kept.order, live)
            case .open, .ready: break
            }
            kept.order.state = state
            kept.tab.state = state == .canceled ? .closed : .open
            return true
        }
    }

    /// Changes an order and its tab in one commit; `body` returns `false` to leave them unchanged.
    private func change(
        _ id: OrderID, of account: AccountID, _ action: AuditAction,
        _ body: (inout Kept, OrderBalance, [Payment]) throws -> Bool
    ) async throws -> Entry {
        for _ in 1...OrderBook.maximumConflicts {
            guard var kept = try await kept(id, of: account) else { throw CheckoutError.unknownOrder(id) }
            let before = kept
            let entry = try await entry(kept.order, kept.tab)
            guard case .known(let balance, let payments) = entry.money else { throw Problem.orderUnreadable(entry) }
            guard try body(&kept, balance, payments) else { return entry }
            kept.order.changes += 1
            kept.order.updatedAt = clock.now()
            do throws(JournalError) {
                // The tab is written even if it is as it was: its version proves that no payment was added meanwhile.
                try await journal.change(
                    [
                        .update(kept.order.record, from: before.orderVersion),
                        .update(kept.tab.record, from: before.tabVersion),
                        .insert(OrderChange(to: kept.order).record),
                    ], noting: [note(action, kept.order, from: before.order)])
            } catch {
                guard case .recordConflict = error else { throw error }
                continue
            }
            feed.hinted([account])
            return try await self.entry(kept.order, kept.tab)
        }
        throw CheckoutError.orderChanged(id)
    }

    func note(_ action: AuditAction, _ order: BookedOrder, from before: BookedOrder? = nil) -> AuditNote {
        var changes: [AuditChange] = []
        let total = order.content.order.total.description
        let known = before?.content.order.total.description
        if known != total { changes.append(AuditChange("total", from: known, to: total)) }
        if before?.state != order.state {
            changes.append(AuditChange("state", from: before?.state.rawValue, to: order.state.rawValue))
        }
        if before?.origin.basket != order.origin.basket {
            changes.append(AuditChange("basket", from: before?.origin.basket, to: order.origin.basket))
        }
        return AuditNote(action, account: order.account, subject: order.id.rawValue, changes: changes)
    }
}

extension BookedOrder.State {
    /// The entry in the audit log for an order that comes to this state.
    fileprivate var action: AuditAction {
        switch self {
        case .open: .orderReopened
        case .ready: .orderReady
        case .fulfilled: .orderFulfilled
        case .canceled: .orderCanceled
        }
    }
}
