import HTTPTypes
import Synchronization
import TillCheckout
import TillCore
@testable import TillFeatureOrders
@testable import TillFeatureShops

/// The lives of a simulated shop's orders: what customers do at the counters, and employees in the shop.
extension ShopLife {
    private static let orderPath = "/wp-json/wc/v3/orders"
    /// The shop takes every pair of keys with the same ending.
    private static let keys = "?consumer_key=ck_clerk&consumer_secret=cs_clerk"

    /// Opens an order in the shop, and does this and that with it.
    func sell() async {
        await pause(0...1_200_000)
        let total = draw(500...9_900)
        let isPlain = chance(500)
        guard let order = await open(total) else { return note("an order was not opened") }
        if isPlain { state.withLock { _ = $0.plain.insert(order) } }
        note("order \(order) of \(total) is opened\(isPlain ? ", and left alone in the shop" : "")")
        for _ in 0..<draw(3...8) {
            await pause(5_000...400_000)
            guard chance(150) else {
                await act(order, isPlain: isPlain)
                continue
            }
            async let first: Void = act(order, isPlain: isPlain)
            async let second: Void = act(order, isPlain: isPlain)
            _ = await (first, second)
        }
        await pause(5_000...400_000)
        await attempt(order) { try await self.pay(order, isPart: false) }
    }

    private func open(_ total: Int64) async -> Int64? {
        let line = JSONValue.members([
            "product_id": .number("11"), "name": .string("Beanie"), "quantity": .number("1"),
            "total": .string(ShopLife.decimal(total)),
        ])
        let made = await ask(
            .post, ShopLife.orderPath + ShopLife.keys,
            .members(["status": .string("pending"), "line_items": .array([line])]))
        return made?["id"]?.int64Value
    }

    private func act(_ order: Int64, isPlain: Bool) async {
        let dice = draw(0...99)
        if dice < 35 {
            await attempt(order) { try await self.pay(order, isPart: false) }
        } else if dice < 55 {
            await attempt(order) { try await self.pay(order, isPart: true) }
        } else if isPlain || dice < 72 {
            await attempt(order) { try await self.refund(order) }
        } else {
            await change(order)
        }
    }

    private func attempt(_ order: Int64, _ body: @Sendable () async throws -> Void) async {
        do { try await body() } catch { note("order \(order): \(error)") }
    }

    private static func decimal(_ units: Int64) -> String { Money(minorUnits: units, currency: .eur).decimalString }

    // MARK: At the counters

    /// Takes what is open of an order, or a part of it, by card or in cash; or goes on with a payment that was begun.
    private func pay(_ order: Int64, isPart: Bool) async throws {
        guard let till = till(), let entry = try await booked(order, at: till) else { return }
        // Whoever pays again what was given back of an order that the shop knows as paid buys something else.
        guard entry.order.isCurrent, case .known(let balance, let payments) = entry.money,
            try await link(order, at: till)?.payment.payments.isEmpty ?? true
        else { return }
        let payment: Payment
        if let begun = payments.first(where: { $0.status == .requiresPaymentMethod }) {
            if chance(300) {
                _ = try await till.checkout.cancel(begun.id, account: .main)
                return note("order \(order): \(begun.id) is canceled")
            }
            payment = begun
        } else {
            let open = balance.open.minorUnits
            guard open > 0 else { return }
            let asked = Money(minorUnits: isPart && open > 1 ? draw(1...(open - 1)) : open, currency: .eur)
            payment = try await till.checkout.create(
                try await till.checkout.draft(
                    account: .main, onTabOf: entry.order.content.order, amount: asked, captureMode: .automatic))
        }
        let isCash = chance(400)
        let card = CardPresentPayload(
            reader: "r", sealed: Secret("sim:4242424242424242:visa:contact_emv"), card: nil)
        let paid = try await till.checkout.confirm(
            payment.id, account: .main, provider: isCash ? .cash : .sandbox,
            tender: isCash ? .cash(tendered: payment.amount) : .cardPresent(card))
        count("paid here")
        note("order \(order): \(paid.id) takes \(paid.amount) \(isCash ? "in cash" : "by card"), \(paid.status)")
    }

    /// Gives back a payment, or a part of it; and what the shop has left to the staff.
    private func refund(_ order: Int64) async throws {
        guard let till = till(), let entry = try await booked(order, at: till),
            case .known(_, let payments) = entry.money
        else { return }
        let refundable = payments.filter { $0.refundable.isPositive }
        guard !refundable.isEmpty else { return }
        let payment = refundable[below(refundable.count)]
        let left = payment.refundable.minorUnits
        let byHand = try await link(order, at: till)?.shopsRefunds.first { $0.state == .byHand && $0.handed == 0 }
        let units: Int64 =
            if let byHand, byHand.amount.minorUnits <= left {
                byHand.amount.minorUnits
            } else if chance(150) {
                left
            } else {
                draw(1...left)
            }
        let amount = Money(minorUnits: units, currency: .eur)
        _ = try await till.checkout.refund(payment.id, account: .main, amount: amount)
        count("refunded here")
        note("order \(order): \(payment.id) gives back \(amount)")
    }

    /// Returns an order at the counters; `nil` if it has not come to them.
    func booked(_ order: Int64, at till: Till) async throws -> OrderBook.Entry? {
        do { return try await till.book.entry(OrderID(rawValue: String(order)), of: .main) } catch CheckoutError
            .unknownOrder
        { return nil }
    }

    /// Returns what the counters know of an order in the shop.
    func link(_ order: Int64, at till: Till) async throws -> LinkedOrder? {
        guard let shop = try await till.shops.list(.main).first else { return nil }
        return try await till.links.order(shop.id, order)
    }

    // MARK: In the shop

    /// Returns what the shop truly has of an order.
    func ledger(_ order: Int64) async -> JSONValue? {
        await ask(.get, "/_sandbox/ledger")?["orders"]?.arrayValue?.first { $0["id"]?.int64Value == order }
    }

    /// Does what an employee may do with an order.
    private func change(_ order: Int64) async {
        guard let shop = await ledger(order), let status = shop["status"]?.stringValue else { return }
        let needsPayment = shop["needs_payment"]?.boolValue ?? false
        switch draw(0...13) {
        case 0 where shop["refunded"]?.int64Value == 0:
            let total = ShopLife.decimal(draw(300...12_000))
            await edit(order, "its total is \(total)", .members(["total": .string(total)]))
        case 1: await set(order, "cancelled")
        case 2: await set(order, "on-hold")
        case 3: await set(order, "pending")
        case 4: await set(order, "completed")
        case 5: await set(order, status == "trash" ? "pending" : "trash")
        case 6 where needsPayment:
            // While the counters tell the shop of a payment, theirs is written over the shop's own, which no client of
            // its interface can prevent or see.
            guard let till = till(), let link = try? await link(order, at: till), link.payment == .open else { return }
            note("order \(order) is paid in the shop")
            count("paid in the shop")
            await ask(
                .put, "\(ShopLife.orderPath)/\(order)\(ShopLife.keys)",
                .members([
                    "set_paid": .bool(true), "transaction_id": .string("own-\(order)"),
                    "payment_method": .string("sandbox_gateway"),
                ]))
        case 0...6: return
        default: await giveBack(order, shop, status)
        }
    }

    private func set(_ order: Int64, _ status: String) async {
        await edit(order, "it is \(status)", .members(["status": .string(status)]))
    }

    private func edit(_ order: Int64, _ what: String, _ document: JSONValue) async {
        note("order \(order) is changed in the shop: \(what)")
        count("changed in the shop")
        await ask(.post, "/_sandbox/orders/\(order)", document)
    }

    /// Records a refund of money that the counters took.
    private func giveBack(_ order: Int64, _ shop: JSONValue, _ status: String) async {
        let left = (shop["total"]?.int64Value ?? 0) - (shop["refunded"]?.int64Value ?? 0)
        // The shop's own payments have another name; of those the counters give nothing back.
        guard ["processing", "completed"].contains(status), left > 0,
            let transaction = shop["transaction_id"]?.stringValue, !transaction.isEmpty, !transaction.hasPrefix("own-")
        else { return }
        count("refunded in the shop")
        guard chance(800) else { return await set(order, "refunded") }
        let amount = ShopLife.decimal(draw(1...left))
        note("order \(order): \(amount) is refunded in the shop")
        await ask(
            .post, "\(ShopLife.orderPath)/\(order)/refunds\(ShopLife.keys)",
            .members(["amount": .string(amount), "reason": .string("Returned"), "api_refund": .bool(false)]))
    }
}
