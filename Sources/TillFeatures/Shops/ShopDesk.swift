import TillCheckout
import TillCore
import TillFeatureOrders
import TillJournal
import TillOrders
import TillShop
import TillWeb

/// The work on one order of a shop. Each step is durable before the next begins, and each can be repeated.
struct ShopDesk: Sendable {
    /// The metadata by which an order on the counter is known as a shop's.
    static let shopKey = SaleOrigin.shopKey
    static let numberKey = "shop_order"

    let shop: ConnectedShop
    let client: ShopClient
    let links: LinkedOrders
    let book: OrderBook
    let checkout: Checkout
    let scope: OrderScope?
    let store: ConnectedShops.Store
    let clock: any TillClock

    // MARK: From the shop

    /// Reads the order in the shop and brings the counter's into step.
    /// - Returns: `false` if the order is not on the counter and does not wait for money: it need not be followed.
    func takeIn(_ link: inout LinkedOrder) async throws -> Bool {
        let entry = try await entry(link)
        let order: ShopOrder
        do throws(ShopError) { order = try await client.order(link.number) } catch {
            guard case .notFound = error else { throw error }
            guard let entry else { return false }
            try await cancel(entry, or: ShopDifference.deleted(order: link.order))
            return true
        }
        // Also of an order that then turns out to differ, so that it is not read again and again.
        link.seen = LinkedOrder.Seen(order)
        try await takeRefunds(order, &link)
        if let entry {
            try await follow(order, entry, link)
        } else {
            guard order.needsPayment else { return false }
            let content = try content(order)
            guard content.order.id == link.order else { throw ShopDifference.orderTaken(content.order.id) }
            do { _ = try await book.book(content, of: shop.account) } catch let problem as Problem {
                // It was booked before by this shop, or another order has its name.
                guard let known = try await self.entry(link) else { throw problem }
                try await follow(order, known, link)
            }
        }
        return true
    }

    /// Returns the order on the counter; `nil` if there is none, or only one that the counter booked from a paid
    /// basket: the shop's own document takes its place.
    /// - Throws: ``ShopDifference/orderTaken(_:)`` for one that is not this shop's.
    private func entry(_ link: LinkedOrder) async throws -> OrderBook.Entry? {
        let entry: OrderBook.Entry
        do { entry = try await book.entry(link.order, of: shop.account) } catch CheckoutError.unknownOrder {
            return nil
        }
        guard entry.order.origin == .shop else { return nil }
        let metadata = entry.order.content.order.metadata.values
        guard metadata[ShopDesk.shopKey] == shop.id.rawValue, metadata[ShopDesk.numberKey] == String(link.number) else {
            throw ShopDifference.orderTaken(link.order)
        }
        return entry
    }

    private func content(_ shopOrder: ShopOrder) throws -> BookedOrder.Content {
        var order = try Order(wooCommerce: shopOrder.document).scoped(scope)
        order.metadata = try OrderMetadata([
            ShopDesk.shopKey: shop.id.rawValue, ShopDesk.numberKey: String(shopOrder.id),
        ])
        let document = ShopDocument(shopOrder.document)
        return BookedOrder.Content(
            order: order, contact: document.contact, handover: document.handover, note: document.note)
    }

    /// Brings a booked order to the state that it has in the shop.
    private func follow(_ order: ShopOrder, _ entry: OrderBook.Entry, _ link: LinkedOrder) async throws {
        let here = entry.order.content.order.total
        if order.needsPayment {
            guard link.payment == .open else {
                // Told, and waiting again: somebody may pay it twice.
                guard link.payment.isTold, asked(entry).isPositive else { return }
                throw ShopDifference.notWaiting(order: link.order, order.status, here: asked(entry))
            }
            let content = try content(order)
            guard content.order.id == link.order else { throw ShopDifference.orderTaken(content.order.id) }
            if entry.order.state == .canceled {
                _ = try await book.move(link.order, of: shop.account, to: .open)
            }
            guard content.fingerprint != entry.order.fingerprint else { return }
            let difference = ShopDifference.changed(order: link.order, shop: order.total, here: asked(entry))
            do { _ = try await book.replace(content, of: shop.account) } catch is Problem { throw difference }
            // The rest can be taken here, but somebody must know that the customer was asked for another amount.
            if order.total != here, asked(entry).isPositive { try await raise(difference, about: entry) }
        } else if let transaction = link.payment.transaction, order.transaction == transaction {
            // Somebody must look, but refunds that settle it are told all the same.
            if order.total != here {
                try await raise(ShopDifference.changed(order: link.order, shop: order.total, here: here), about: entry)
            }
            switch order.status {
            case .completed where entry.order.isCurrent && entry.money.isPaid:
                _ = try await book.move(link.order, of: shop.account, to: .fulfilled)
            case let status where status.isWithoutPayment:
                guard asked(entry).isPositive else { return }
                throw ShopDifference.notWaiting(order: link.order, status, here: asked(entry))
            default: return
            }
        } else if link.payment.isTold {
            // It has another payment there now.
            guard asked(entry).isPositive else { return }
            throw ShopDifference.notWaiting(order: link.order, order.status, here: asked(entry))
        } else if link.payment == .open {
            // Paid or canceled in the shop itself.
            try await cancel(
                entry, or: ShopDifference.notWaiting(order: link.order, order.status, here: asked(entry)))
        }
    }

    /// Cancels an order without money.
    /// - Throws: the difference if it has money, or may have.
    private func cancel(_ entry: OrderBook.Entry, or difference: ShopDifference) async throws {
        guard entry.order.isCurrent else { return }
        do { _ = try await book.move(entry.order.id, of: shop.account, to: .canceled) } catch is Problem {
            throw difference
        }
    }

    private func raise(_ difference: ShopDifference, about entry: OrderBook.Entry) async throws {
        guard case .known(_, let payments) = entry.money, let live = payments.last(where: \.isLive) else { return }
        try await checkout.raise(
            .shopDiffers("\(difference.what) \(difference.next)"), about: live.id, account: shop.account)
    }

    /// The amount that payments have taken or ask for.
    private func asked(_ entry: OrderBook.Entry) -> Money {
        let total = entry.order.content.order.total
        guard case .known(let balance, _) = entry.money, let asked = try? balance.paid.adding(balance.reserved) else {
            return total
        }
        return asked
    }

    // MARK: To the shop

    /// Returns `true` if the shop was to be told of payments that have been given back since, and never heard of them.
    private func isOutdated(
        _ telling: LinkedOrder.Payment, _ payments: [Payment], _ number: Int64
    ) async throws -> Bool {
        guard case .telling(let transaction, let ids) = telling,
            !payments.allSatisfy({ !ids.contains($0.id) || $0.isLive })
        else { return false }
        let order = try await client.order(number)
        return order.needsPayment && !order.isPaid(by: transaction)
    }

    /// Tells the shop what it does not know: the payment once all is captured, and refunds of it.
    func tell(_ link: inout LinkedOrder) async throws {
        guard let entry = try await entry(link) else { return }
        if case .unreadable(let payment) = entry.money {
            throw CheckoutError.unreadablePayment(payment, reason: "the shop is told once it can be read")
        }
        guard case .known(let balance, let payments) = entry.money else { return }
        if link.payment == .open {
            let paid = payments.filter { $0.isLive && $0.captured.isPositive }
            guard balance.status == .paid, let first = paid.first else { return }
            link.payment = .telling(first.id.rawValue, of: paid.map(\.id))
            // Durable before the shop is told: after a crash it is told of the same payment.
            try await links.save(link)
        }
        if try await isOutdated(link.payment, payments, link.number) {
            // Another card was taken while the shop did not answer: it is told of what pays the order now.
            link.payment = .open
            try await links.save(link)
            return try await tell(&link)
        }
        let paid = payments.filter { link.payment.payments.contains($0.id) }
        var isFirstNote = false
        if case .telling(let transaction, let ids) = link.payment {
            let payment = ShopPayment(
                order: link.number, transaction: transaction, amount: entry.order.content.order.total,
                title: ShopWords.title(paid))
            switch try await client.record(payment) {
            case .recorded(let order), .already(let order): link.seen = LinkedOrder.Seen(order)
            }
            link.payment = .told(transaction, of: ids)
            try await links.save(link)
            // Before this write none was sent; after it, another attempt looks for it.
            isFirstNote = true
        }
        guard link.payment.isTold else { return }
        try await carryOutRefunds(of: paid, &link)
        try await tellRefunds(of: paid, &link)
        // A shop's order has one payment: somebody must know of what it cannot be told.
        for later in payments
        where later.isLive && later.captured.isPositive && !paid.contains(where: { $0.id == later.id }) {
            let difference = ShopDifference.paidAgain(order: link.order)
            try await checkout.raise(
                .shopDiffers("\(difference.what) \(difference.next)"), about: later.id, account: shop.account)
        }
        // Last: a shop that takes no notes is told everything else.
        guard !link.isNoted else { return }
        try await client.note(ShopWords.note(paid), on: link.number, isFirst: isFirstNote)
        link.isNoted = true
        try await links.save(link)
    }
}
