import TillCore

/// The shop's own state: orders with their notes and refunds, and what it counts of them. An actor, so that concurrent
/// requests never see each other's intermediate state. In memory.
///
/// Its rules are written from WooCommerce's sources and documentation, not from our client.
actor ShopLedger {
    /// The maximum number of stored orders.
    static let maximumOrders = 100_000

    let clock: any TillClock
    let webhooks: ShopWebhooks
    var orders: [Int64: ShopOrder] = [:]
    var intents: [String: ShopIntent] = [:]
    var customers: [Int64: String] = [:]
    /// Statuses that an extension has added.
    private var extensions: Set<ShopOrderStatus> = []
    private var lastID: Int64 = 100
    private var lastPart: Int64 = 0
    /// The gateway that moves money for a refund; every other refuses.
    static let gateway = "sandbox_gateway"

    init(clock: any TillClock, webhooks: ShopWebhooks) {
        self.clock = clock
        self.webhooks = webhooks
    }

    /// Opens orders of 12.50, 25.00, 37.50 … euros.
    func open(_ count: Int) {
        for number in 0..<max(0, min(count, ShopLedger.maximumOrders)) {
            var order = new(.pending)
            let amount = ShopAmount.text(Int64(1_250 * (number % 100 + 1)), .eur)
            let line = JSONValue.members([
                "product_id": .number("11"), "name": .string("Beanie"), "quantity": .number("1"),
                "total": .string(amount),
            ])
            let body = ShopBody(json: .members(["line_items": .array([line])]))
            guard (try? order.apply(body) { nextPart() }) != nil else { continue }
            order.createdVia = "checkout"
            order.computeTotals()
            orders[order.id] = order
        }
    }

    func nextID() -> Int64 {
        lastID += 1
        return lastID
    }

    func nextPart() -> Int64 {
        lastPart += 1
        return lastPart
    }

    private func new(_ status: ShopOrderStatus, id: Int64? = nil) -> ShopOrder {
        let random = Hex.lowercase((0..<7).map { _ in UInt8.random(in: .min ... .max) })
        return ShopOrder(
            id: id ?? nextID(), orderKey: "wc_order_" + random.prefix(13), status: status, currency: .eur,
            now: clock.now())
    }

    // MARK: The interface

    func get(_ id: Int64) throws(ShopRefusal) -> ShopOrder {
        guard let order = orders[id] else { throw .init(.unknown("shop_order")) }
        return order
    }

    /// Creates an order; `set_paid` always tries.
    func create(_ body: ShopBody) async throws(ShopRefusal) -> ShopOrder {
        guard orders.count < ShopLedger.maximumOrders else { throw .init(.full("orders")) }
        let status = try self.status(in: body)
        var order = new(.pending)
        _ = try order.apply(body) { nextPart() }
        order.computeTotals()
        let isPaid = try body.flag("set_paid") == true
        order.set(status ?? .pending, at: clock.now())
        if isPaid { complete(&order, body) }
        order = keep(order)
        await webhooks.happened(.created, order.id)
        return order
    }

    /// Changes an order: saves `status` first, and obeys `set_paid` only if the order still needs payment.
    func update(_ id: Int64, _ body: ShopBody) async throws(ShopRefusal) -> ShopOrder {
        guard var order = orders[id] else { throw .init(.unknown("shop_order", status: 400)) }
        let status = try self.status(in: body)
        let isPaid = try body.flag("set_paid") == true
        if try order.apply(body, next: { nextPart() }) { order.computeTotals() }
        if let status { change(&order, to: status) }
        if isPaid, order.needsPayment { complete(&order, body) }
        order = keep(order)
        await webhooks.happened(.updated, order.id)
        return order
    }

    /// Moves an order to the trash, or removes it. Returns it as it was.
    func delete(_ id: Int64, force: Bool) async throws(ShopRefusal) -> ShopOrder {
        guard var order = orders[id] else { throw .init(.unknown("shop_order")) }
        if force {
            orders[id] = nil
        } else {
            guard order.status != .trash else {
                throw .init(
                    .error(410, "woocommerce_rest_already_trashed", "The order has already been deleted."))
            }
            let before = order
            order.statusBeforeTrash = order.status
            order.status = .trash
            _ = keep(order)
            order = before
        }
        await webhooks.happened(.deleted, id)
        return order
    }

    private func status(in body: ShopBody) throws(ShopRefusal) -> ShopOrderStatus? {
        guard let text = try body.text("status"), !text.isEmpty else { return nil }
        let status = ShopOrderStatus(text.hasPrefix("wc-") ? String(text.dropFirst(3)) : text)
        guard status.isSettable || extensions.contains(status) else {
            throw .init(.invalid("status", "status is not one of the shop's statuses."))
        }
        return status
    }

    /// Records a payment; the text that is sent with it is taken as it is, empty or not.
    private func complete(_ order: inout ShopOrder, _ body: ShopBody) {
        let before = order.status
        guard order.completePayment(body.json["transaction_id"]?.stringValue ?? "", at: clock.now()) else { return }
        note(&order, from: before)
    }

    /// Changes a status. Setting `refunded` by hand records a refund of what is left, and moves no money.
    func change(_ order: inout ShopOrder, to status: ShopOrderStatus) {
        let before = order.status
        order.set(status, at: clock.now())
        if status == .refunded, before != .refunded, order.refunded < order.total {
            addRefund(
                of: order.total - order.refunded, to: &order, reason: "Order fully refunded.", isByGateway: false)
        }
        note(&order, from: before)
    }

    /// Adds a refund; the caller has checked its amount.
    @discardableResult
    func addRefund(
        of amount: Int64, to order: inout ShopOrder, reason: String, isByGateway: Bool, lines: [JSONValue] = [],
        meta: [JSONValue] = []
    ) -> ShopOrder.Refund {
        let refund = ShopOrder.Refund(
            id: nextID(), amount: amount, reason: reason, isByGateway: isByGateway, lines: lines, meta: meta,
            created: clock.now())
        order.refunds.append(refund)
        return refund
    }

    /// Adds the note with which the shop reports a change of status.
    private func note(_ order: inout ShopOrder, from before: ShopOrderStatus) {
        guard before != order.status, order.notes.count < ShopOrder.maximumParts else { return }
        order.notes.append(
            ShopOrder.Note(
                id: nextPart(), text: "Order status changed from \(before.text) to \(order.status.text).",
                isForCustomer: false, author: "WooCommerce", created: clock.now()))
    }

    /// Stores a changed order.
    func keep(_ order: ShopOrder) -> ShopOrder {
        var order = order
        order.modified = clock.now()
        orders[order.id] = order
        return order
    }

    // MARK: The shop's employees

    /// Opens an order from a document of a shop, with its id if that is free.
    func plant(_ document: JSONValue) async throws(ShopRefusal) -> ShopOrder {
        guard orders.count < ShopLedger.maximumOrders else { throw .init(.full("orders")) }
        let body = ShopBody(json: document)
        let id = try body.integer("id")
        if let id, id <= 0 || orders[id] != nil { throw .init(.invalid("id", "id is in use, or no id.")) }
        var order = new(.pending, id: id)
        lastID = max(lastID, order.id)
        guard lastID < 1 << 52 else { throw .init(.invalid("id", "id is too large.")) }
        try order.take(document) { nextPart() }
        if let text = try body.text("status") { order.status = extended(text) }
        orders[order.id] = order
        await webhooks.happened(.created, order.id)
        return order
    }

    /// Changes an order as an employee would: status, lines, or the total alone, which adds a fee of the difference.
    func edit(_ id: Int64, _ document: JSONValue) async throws(ShopRefusal) -> ShopOrder {
        var order = try get(id)
        let body = ShopBody(json: document)
        if try order.apply(body, next: { nextPart() }) { order.computeTotals() }
        if let total = document["total"] {
            guard let units = ShopAmount.minorUnits(total, order.currency) else {
                throw .init(.invalid("total", "total is not an amount."))
            }
            let fee = JSONValue.members([
                "name": .string("Adjustment"), "total": ShopAmount.json(units - order.total, order.currency),
            ])
            _ = try order.apply(ShopBody(json: .members(["fee_lines": .array([fee])]))) { nextPart() }
            order.computeTotals()
        }
        let wasTrashed = order.status == .trash
        if let text = try body.text("status") { change(&order, to: extended(text)) }
        order = keep(order)
        await webhooks.happened(
            order.status == .trash ? .deleted : wasTrashed ? .restored : .updated, order.id)
        return order
    }

    /// Returns a status, which the shop knows from now on.
    private func extended(_ text: String) -> ShopOrderStatus {
        let status = ShopOrderStatus(text)
        if case .other = status, extensions.count < 100 { extensions.insert(status) }
        return status
    }

    /// The true state, in minor units.
    func ledger() -> JSONValue {
        .array(orders.keys.sorted().compactMap { orders[$0]?.ledgerEntry })
    }
}
