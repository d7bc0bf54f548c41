public import TillCore
public import TillJournal

/// A tab as it was read: a write that depends on it is refused if it has changed since.
private struct KeptTab {
    let tab: OrderTab
    let version: Int

    /// The change that adds a payment.
    func adding(_ payment: PaymentID) -> RecordChange { .update(tab.adding(payment).record, from: version) }
}

extension Checkout {
    /// Drafts a payment for an order with a tab: of the whole order, or of a part of what is open.
    ///
    /// The draft is bound to the tab as it was read. If another payment is added to it before this one is created,
    /// ``create(_:idempotency:)`` throws ``CheckoutError/orderChanged(_:)`` and the draft is made again.
    /// - Parameters:
    ///   - amount: The amount of the part; `nil` for all that is open.
    ///   - acceptedBy: The operator on record for charging an order that the shop reports as settled.
    /// - Throws: ``CheckoutError/orderAmount(_:asked:open:)`` for more than what is open.
    public func draft(
        account: AccountID, onTabOf order: Order, amount: Money? = nil, captureMode: CaptureMode,
        acceptedBy: String? = nil
    ) async throws(CheckoutError) -> PaymentDraft {
        guard let kept = try await tab(of: order.id, account: account) else { throw .unknownOrder(order.id) }
        let payments = try await payments(on: kept.tab)
        let balance = OrderBalance(total: kept.tab.total, payments: payments)
        try check(kept.tab, balance, payments)
        try await checkLivePayment(of: order.id, on: kept.tab)
        let asked = amount ?? balance.open
        guard asked.currency == balance.total.currency, asked.minorUnits <= balance.open.minorUnits else {
            throw .orderAmount(order.id, asked: asked, open: balance.open)
        }
        // Content and tab are read one after the other; a change between the two is found by the tab's version, but
        // only if the content is the older of them.
        guard order.total == kept.tab.total else { throw .orderChanged(order.id) }
        let isWhole = asked == order.total && !payments.contains { $0.isLive }
        let sold = isWhole ? order : try await part(of: order, on: kept.tab, asked)
        var draft = draft(account: account, order: sold, captureMode: captureMode, acceptedBy: acceptedBy)
        draft.tabChange = kept.adding(draft.payment.id)
        return draft
    }

    /// Returns the next part of an order. A number under which something else was sold is passed over.
    private func part(of order: Order, on tab: OrderTab, _ amount: Money) async throws(CheckoutError) -> Order {
        for number in (tab.payments.count + 1)...(tab.payments.count + OrderTab.maximumPayments) {
            let part: Order
            do throws(OrderError) { part = try order.part(number, of: amount) } catch {
                throw .orderAmount(order.id, asked: amount, open: tab.total)
            }
            do throws(JournalError) {
                guard try await journal.livePayment(account: tab.account, order: part.id) != nil else { return part }
            } catch { throw .journal(error) }
        }
        throw .tooManyPayments(order.id)
    }

    /// Binds a draft made without knowledge of the order's tab to it: it must ask for the whole order, and no other
    /// payment may be live. Of the total of a tab that follows its payments only the currency is a condition. A tab
    /// that is only being opened is written as it is: whoever opens it then reads again, and finds the payment. Nothing
    /// is sold under the identifier of a part.
    func onTab(_ draft: PaymentDraft) async throws(CheckoutError) -> PaymentDraft {
        let payment = draft.payment
        let whole = payment.order.id.whole
        if whole != payment.order.id, try await tab(of: whole, account: payment.account) != nil {
            throw .unknownOrder(payment.order.id)
        }
        guard let kept = try await tab(of: payment.order.id, account: payment.account) else { return draft }
        var draft = draft
        guard kept.tab.state != .opening else {
            draft.tabChange = .update(kept.tab.record, from: kept.version)
            return draft
        }
        let payments = try await payments(on: kept.tab)
        let balance = OrderBalance(total: kept.tab.total, payments: payments)
        try check(kept.tab, balance, payments)
        if let live = payments.last(where: \.isLive) {
            // What is open of a tab that follows its payments is open by its former total only.
            guard balance.paid.isZero || kept.tab.followsPayments else {
                throw .orderAmount(payment.order.id, asked: payment.amount, open: balance.open)
            }
            throw .orderOccupied(payment.order.id, by: live.id, live.status)
        }
        // In another currency it would not count as paid.
        guard payment.currency == balance.total.currency else {
            throw .orderAmount(payment.order.id, asked: payment.amount, open: balance.open)
        }
        guard payment.amount == balance.total || kept.tab.followsPayments else {
            throw .orderAmount(payment.order.id, asked: payment.amount, open: balance.open)
        }
        draft.tabChange = kept.adding(payment.id)
        return draft
    }

    private func check(
        _ tab: OrderTab, _ balance: OrderBalance, _ payments: [Payment]
    ) throws(CheckoutError) {
        switch tab.state {
        case .opening: throw .orderChanged(tab.order)
        case .open: break
        case .closed: throw .orderCanceled(tab.order)
        }
        guard tab.payments.count < OrderTab.maximumPayments else { throw .tooManyPayments(tab.order) }
        guard balance.open.isPositive else {
            guard let live = payments.last(where: \.isLive) else { throw .orderCanceled(tab.order) }
            throw .orderOccupied(tab.order, by: live.id, live.status)
        }
    }

    /// Refuses an order with a payment that came alive again, by money that came late, and is not on the tab.
    private func checkLivePayment(of order: OrderID, on tab: OrderTab) async throws(CheckoutError) {
        do throws(JournalError) {
            guard let live = try await journal.livePayment(account: tab.account, order: order),
                !tab.payments.contains(live.id)
            else { return }
            throw JournalError.orderOccupied(by: live.id)
        } catch {
            guard case .orderOccupied(let by) = error else { throw .journal(error) }
            throw .orderOccupied(order, by: by, try await stored(by)?.status ?? .processing)
        }
    }

    /// Returns a payment beside which this one pays its order, as soon as its money is back by these events: the last
    /// of the others, if all together have more than the order's total. `nil` if they do not, and for an order without
    /// a tab.
    ///
    /// Nothing here keeps the events from being recorded: another payment that cannot be read is left out, since it has
    /// an incident of its own, and so is a tab that cannot be read.
    func paidBeside(_ payment: Payment, after events: [PaymentEvent]) async throws(CheckoutError) -> PaymentID? {
        let tab: OrderTab
        do throws(CheckoutError) {
            let order = payment.order.part?.order ?? payment.order.id
            guard let kept = try await self.tab(of: order, account: payment.account) else { return nil }
            tab = kept.tab
        } catch {
            guard case .journal(.corrupted) = error else { throw error }
            return nil
        }
        var after = payment
        let now = clock.now()
        for event in events { after.evolve(RecordedEvent(event, at: now)) }
        var others: [Payment] = []
        for id in tab.payments where id != payment.id {
            if let other = try await readable(id) { others.append(other) }
        }
        guard let other = others.last(where: \.isLive) else { return nil }
        return OrderBalance(total: tab.total, payments: others + [after]).excess.isPositive ? other.id : nil
    }

    /// Returns the payments of a tab, oldest first.
    /// - Throws: ``CheckoutError/unreadablePayment(_:reason:)`` if one of them cannot be read.
    public func payments(on tab: OrderTab) async throws(CheckoutError) -> [Payment] {
        var payments: [Payment] = []
        for id in tab.payments { payments.append(try await payment(id, account: tab.account)) }
        return payments
    }

    /// Returns the payments of the filter's order as ``list(_:)`` does, newest first, with those of its parts, which
    /// have identifiers of their own.
    public func listWithParts(_ filter: PaymentFilter) async throws(CheckoutError) -> [ListedPayment] {
        var listed = try await list(filter)
        guard let order = filter.order, let account = filter.account,
            let tab = try await tab(of: order, account: account)?.tab
        else { return listed }
        for id in tab.payments where !listed.contains(where: { $0.id == id }) {
            if let before = filter.before, id.rawValue >= before.rawValue { continue }
            // Right behind it in the list: identifiers of payments have no such sign.
            let behind = PaymentID(rawValue: id.rawValue + "~")
            let first = try await list(
                PaymentFilter(account: account, status: filter.status, before: behind, limit: 1)
            ).first
            if let first, first.id == id { listed.append(first) }
        }
        listed.sort { $0.id.rawValue > $1.id.rawValue }
        return Array(listed.prefix(max(1, filter.limit)))
    }

    private func tab(of order: OrderID, account: AccountID) async throws(CheckoutError) -> KeptTab? {
        guard let store = journal as? any RecordStore else { return nil }
        do throws(JournalError) {
            guard let kept = try await store.record(OrderTab.id(account: account, order: order)) else { return nil }
            return KeptTab(tab: try OrderTab(kept), version: kept.version)
        } catch { throw .journal(error) }
    }
}
