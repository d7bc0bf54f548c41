import TillCore

/// The plugin whose endpoints for sales at a reader are called.
enum ShopPlugin: Sendable {
    /// WooPayments, under `payments`.
    case wooPayments
    /// The Stripe plugin, under `wc_stripe`: it does not compare the intent with the order.
    case stripe

    var prefix: String { self == .wooPayments ? "wcpay" : "wc_stripe" }
}

extension ShopLedger {
    /// The maximum number of stored intents.
    static let maximumIntents = 100_000

    private func order(_ id: Int64, _ plugin: ShopPlugin) throws(ShopRefusal) -> ShopOrder {
        guard let order = orders[id] else {
            throw .init(.error(404, "\(plugin.prefix)_missing_order", "Order not found"))
        }
        return order
    }

    /// Creates an intent for an order; the shop lets there be a second one.
    func createIntent(_ id: Int64) throws(ShopRefusal) -> ShopIntent {
        let order = try order(id, .wooPayments)
        guard intents.count < ShopLedger.maximumIntents else { throw .init(.full("intents")) }
        let intent = ShopIntent(
            id: "pi_shop_\(nextPart())", order: id, amount: order.total, status: .requiresPaymentMethod)
        intents[intent.id] = intent
        return intent
    }

    /// Returns the customer of an order at the provider, always the same.
    func customer(_ id: Int64, _ plugin: ShopPlugin) throws(ShopRefusal) -> String {
        _ = try order(id, plugin)
        if let known = customers[id] { return known }
        let name = "cus_shop_\(nextPart())"
        customers[id] = name
        return name
    }

    /// Captures what a reader has authorized, and completes the order.
    func capture(_ id: Int64, _ body: ShopBody, _ plugin: ShopPlugin) async throws(ShopRefusal) -> ShopIntent {
        var order = try order(id, plugin)
        guard let name = try body.text("payment_intent_id") else { throw .init(.missing("payment_intent_id")) }
        guard order.refunds.isEmpty else {
            throw .init(
                .error(
                    400, "\(plugin.prefix)_refunded_order_uncapturable",
                    "Payment cannot be captured for partially or fully refunded orders."))
        }
        let uncapturable = ShopRefusal(
            .error(409, "\(plugin.prefix)_payment_uncapturable", "The payment cannot be captured"))
        if plugin == .wooPayments {
            let stored = order.meta.first { $0["key"] == .string("_intent_id") }?["value"]?.stringValue
            guard !order.status.isPaid, stored == nil || stored == name else { throw uncapturable }
        }
        guard var intent = intents[name] else {
            throw .init(.error(500, "\(plugin.prefix)_server_error", "Unexpected server error"))
        }
        if plugin == .wooPayments, intent.order != id {
            throw .init(
                .error(409, "wcpay_intent_order_mismatch", "Payment cannot be captured for the provided order."))
        }
        guard intent.status == .requiresCapture else { throw uncapturable }
        intent.status = .succeeded
        intent.captures += 1
        intents[name] = intent
        if plugin == .wooPayments {
            let entries = [
                ("_intent_id", name), ("_charge_id", "ch_" + name.dropFirst(3)), ("_intention_status", "succeeded"),
                ("_wcpay_mode", "test"),
            ].map { JSONValue.members(["key": .string($0.0), "value": .string($0.1)]) }
            order.meta = try ShopOrder.merged(order.meta, entries) { nextPart() }
        }
        _ = order.completePayment(name, at: clock.now())
        change(&order, to: .completed)
        _ = keep(order)
        await webhooks.happened(.updated, id)
        return intent
    }

    /// Presents a card at a reader: the intent waits for its capture. An unknown one is created.
    func authorize(_ json: JSONValue) -> ShopIntent? {
        if let id = json["id"]?.stringValue, let known = intents[id] {
            guard known.status == .requiresPaymentMethod else { return nil }
            intents[id]?.status = .requiresCapture
            return intents[id]
        }
        guard intents.count < ShopLedger.maximumIntents, let id = json["order"]?.int64Value, let order = orders[id]
        else {
            return nil
        }
        let name = json["id"]?.stringValue ?? "pi_shop_\(nextPart())"
        guard name.hasPrefix("pi_"), name.utf8.count <= 64 else { return nil }
        let intent = ShopIntent(id: name, order: id, amount: order.total, status: .requiresCapture)
        intents[name] = intent
        return intent
    }

    /// The intents of `GET /_sandbox/ledger`.
    var intentLedger: JSONValue { .array(intents.values.sorted { $0.id < $1.id }.map(\.ledgerEntry)) }
}
