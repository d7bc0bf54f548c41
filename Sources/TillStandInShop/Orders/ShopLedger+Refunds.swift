import TillCore

extension ShopLedger {
    /// Records a refund, and by default moves the money through the order's gateway. A second request refunds again:
    /// the shop has no idempotency key.
    func refund(_ id: Int64, _ body: ShopBody) async throws(ShopRefusal) -> (order: ShopOrder, refund: ShopOrder.Refund)
    {
        guard var order = orders[id] else {
            throw .init(.error(404, "woocommerce_rest_invalid_order_id", "Invalid order ID."))
        }
        guard order.refunds.count < ShopOrder.maximumParts else { throw .init(.full("refunds of an order")) }
        let lines = try body.list("line_items") ?? []
        let amount = try amount(of: body, lines, order.currency)
        guard amount >= 0 else {
            throw .init(
                .error(400, "woocommerce_rest_invalid_order_refund", "Refund amount must be greater than zero."))
        }
        let reason = try body.text("reason") ?? ""
        let isByGateway = try body.flag("api_refund") ?? true
        let meta = try ShopOrder.merged([], try body.list("meta_data") ?? []) { nextPart() }
        guard amount <= order.total - order.refunded, amount > 0 || !lines.isEmpty else {
            throw ShopLedger.refusedRefund("Invalid refund amount.")
        }
        if isByGateway, order.paymentMethod != ShopLedger.gateway {
            throw ShopLedger.refusedRefund("The payment gateway for this order does not exist.")
        }
        let refund = addRefund(
            of: amount, to: &order, reason: reason, isByGateway: isByGateway, lines: lines, meta: meta)
        if order.refunded >= order.total { change(&order, to: .refunded) }
        order = keep(order)
        await webhooks.happened(.updated, order.id)
        return (order, refund)
    }

    private static func refusedRefund(_ text: String) -> ShopRefusal {
        ShopRefusal(.error(500, "woocommerce_rest_cannot_create_order_refund", text))
    }

    /// Returns the amount of a refund, in minor units: as named, else the sum of the lines.
    private func amount(of body: ShopBody, _ lines: [JSONValue], _ currency: Currency) throws(ShopRefusal) -> Int64 {
        if let value = body.json["amount"], !value.isNull, value != .string("") {
            guard let units = ShopAmount.minorUnits(value, currency) else {
                throw .init(.invalid("amount", "amount is not of type string."))
            }
            return units
        }
        var sum: Int64 = 0
        for line in lines {
            for name in ["refund_total", "refund_tax"] {
                guard let value = line[name] else { continue }
                let parts = value.arrayValue?.map { $0["refund_total"] ?? .null } ?? [value]
                for part in parts.prefix(ShopOrder.maximumParts) {
                    guard let units = ShopAmount.minorUnits(part, currency) else {
                        throw .init(.invalid("line_items", "\(name) is not an amount."))
                    }
                    sum += units
                }
            }
        }
        return sum
    }

    /// Adds a note.
    func note(_ id: Int64, _ body: ShopBody) throws(ShopRefusal) -> (order: ShopOrder, note: ShopOrder.Note) {
        guard var order = orders[id] else {
            throw .init(.error(404, "woocommerce_rest_order_invalid_id", "Invalid order ID."))
        }
        guard let text = try body.text("note") else { throw .init(.missing("note")) }
        guard order.notes.count < ShopOrder.maximumParts else { throw .init(.full("notes of an order")) }
        let note = ShopOrder.Note(
            id: nextPart(), text: text, isForCustomer: try body.flag("customer_note") ?? false,
            author: try body.flag("added_by_user") == true ? "sandbox" : "WooCommerce", created: clock.now())
        order.notes.append(note)
        // A note does not change the order's date.
        orders[id] = order
        return (order, note)
    }

    /// Removes a note.
    func removeNote(_ note: Int64, of id: Int64) { orders[id]?.notes.removeAll { $0.id == note } }
}
