import TillCore

extension WooCommerceDocument {
    /// Converts a document with verified arithmetic into an order. Each amount is rounded as displayed; the remainder
    /// of the shop's further digits becomes `Order.rounding`.
    func order() throws(OrderError) -> Order {
        let lines = try soldLines()
        let shipping = try charges(shipping, unnamed: "Shipping")
        let fees = try charges(fees, unnamed: "Fee")
        var cards: [OrderGiftCard] = []
        for card in giftCards { cards.append(OrderGiftCard(lastFour: card.lastFour, amount: try shown(card.amount))) }
        let orderTax = try shown(orderTax)
        // What the shop has printed everywhere else; rounded line by line the taxes may add up to another sum.
        let declaredTax = try declared.totalTax.map { (tax) throws(OrderError) in try shown(tax) }
        let tax: Money
        let rounding: Money
        do throws(MoneyError) {
            let listed = try lines.sum(currency) { $0.tax }.adding(try shipping.sum(currency) { $0.tax })
                .adding(try fees.sum(currency) { $0.tax }).adding(orderTax)
            tax = declaredTax ?? listed
            let sum = try lines.sum(currency) { $0.total }.adding(try shipping.sum(currency) { $0.total })
                .adding(try fees.sum(currency) { $0.total }).adding(tax)
                .subtracting(try cards.sum(currency) { $0.amount })
            rounding = try total.subtracting(sum)
        } catch { throw .wrongAmount(field: "the sum", text: "", error) }
        return try Order(
            id: id, number: number, lines: lines, shipping: shipping, fees: fees, coupons: try coupons(),
            giftCards: cards, taxes: try taxes(adding: tax), taxTotal: tax, rounding: rounding, total: total,
            notices: notices, standing: standing)
    }

    private func shown(_ amount: ExactAmount) throws(OrderError) -> Money {
        do throws(MoneyError) { return try amount.rounded(to: currency) } catch {
            throw .wrongAmount(field: "an amount", text: amount.text(currency), error)
        }
    }

    private func soldLines() throws(OrderError) -> [OrderLine] {
        var sold: [OrderLine] = []
        for (index, line) in lines.enumerated() {
            let written = line.json["quantity"]
            let quantity = written.map { $0.isNull ? "1" : $0.plainText ?? "" } ?? "1"
            guard (try? DecimalText(quantity)) != nil, quantity.utf8.count <= 20 else {
                throw .notAnOrder("line_items[\(index)].quantity is “\(quantity.shownInError)”, no quantity")
            }
            let sku = DisplayText.clean(line.json["sku"]?.plainText ?? "")
            sold.append(
                OrderLine(
                    name: line.name.isEmpty ? "Item" : line.name, quantity: quantity, sku: sku.isEmpty ? nil : sku,
                    attributes: WooCommerceDocument.attributes(line.json),
                    subtotal: try shown(line.subtotal ?? line.total),
                    total: try shown(line.total), tax: try shown(line.tax ?? .zero)))
        }
        return sold
    }

    private func charges(_ parts: [Part], unnamed: String) throws(OrderError) -> [OrderCharge] {
        var charges: [OrderCharge] = []
        for part in parts {
            charges.append(
                OrderCharge(
                    name: part.name.isEmpty ? unnamed : part.name, total: try shown(part.total),
                    tax: try shown(part.tax ?? .zero)))
        }
        return charges
    }

    /// Returns the options chosen by the customer: metadata that the shop marks as visible.
    private static func attributes(_ line: JSONValue) -> [OrderAttribute] {
        (line["meta_data"]?.listedValues ?? []).prefix(Order.maximumLines).compactMap { entry in
            guard let key = entry["key"]?.stringValue, !key.hasPrefix("_") else { return nil }
            guard let value = entry["display_value"]?.stringValue ?? entry["value"]?.plainText else { return nil }
            let name = entry["display_key"]?.stringValue ?? key
            let attribute = OrderAttribute(name: DisplayText.cleanMarkup(name), value: DisplayText.cleanMarkup(value))
            return attribute.name.isEmpty || attribute.value.isEmpty || attribute.name.hasPrefix("_") ? nil : attribute
        }
    }

    private func coupons() throws(OrderError) -> [OrderCoupon] {
        var coupons: [OrderCoupon] = []
        for (index, coupon) in try json.list("coupon_lines").enumerated() {
            let discount = try coupon.amount("discount", of: "coupon_lines[\(index)]") ?? .zero
            coupons.append(
                OrderCoupon(code: DisplayText.clean(coupon["code"]?.plainText ?? ""), discount: try shown(discount)))
        }
        return coupons
    }

    /// Returns the taxes by name; none if they do not add up to the order's tax, so that no receipt contradicts itself.
    private func taxes(adding tax: Money) throws(OrderError) -> [OrderTax] {
        var taxes: [OrderTax] = []
        for (index, line) in try json.list("tax_lines").enumerated() {
            let path = "tax_lines[\(index)]"
            let goods = try line.amount("tax_total", of: path) ?? .zero
            let shipping = try line.amount("shipping_tax_total", of: path) ?? .zero
            let label = DisplayText.clean(line["label"]?.plainText ?? "")
            taxes.append(OrderTax(label: label.isEmpty ? "Tax" : label, total: try shown(goods + shipping)))
        }
        guard let sum = try? taxes.sum(currency, { $0.total }), sum == tax else { return [] }
        return taxes
    }

    /// The date and method of payment, as written by the shop.
    private var paid: OrderStanding? {
        let moments = [json["date_paid"], json["date_paid_gmt"]].compactMap { $0?.plainText }
        guard let moment = moments.first(where: { !$0.isEmpty }) else { return nil }
        let method = DisplayText.clean(json["payment_method_title"]?.stringValue ?? "")
        return .paid(
            on: DisplayText.clean(String(moment.prefix { $0 != "T" })), through: method.isEmpty ? nil : method)
    }

    /// The latest status: a refunded order has a date of payment, too.
    private var standing: OrderStanding? {
        switch json["status"]?.stringValue {
        case "trash": .trashed
        case "cancelled": .canceled
        case "refunded": .refunded
        default: paid
        }
    }

    /// The parts read in addition to the amounts.
    private static let shapes = ExpectedShapes(parts: [
        "number": .plain, "status": .text, "date_paid": .plain, "date_paid_gmt": .plain,
        "payment_method_title": .text, "line_items[]": .object, "line_items[].name": .plain,
        "line_items[].sku": .plain, "line_items[].price": .amount, "line_items[].meta_data": .numbered,
        "line_items[].taxes": .list, "line_items[].taxes[]": .object, "line_items[].taxes[].total": .amount,
        "shipping_lines[].method_title": .plain,
        "shipping_lines[].taxes": .list, "fee_lines[].name": .plain, "fee_lines[].amount": .amount,
        "fee_lines[].taxes": .list, "coupon_lines[].code": .plain, "tax_lines[].label": .plain,
        "gift_cards[].code": .plain, "refunds": .list, "refunds[].total": .amount,
    ])

    /// The notices for the cashier before charging.
    private var notices: [String] {
        var notices = WooCommerceDocument.shapes.notices(of: json, number)
        if let paid { notices.append("Order \(number) says \(paid.clause).") }
        if let refunds = json["refunds"]?.arrayValue, !refunds.isEmpty {
            let amounts = refunds.map { $0["total"]?.plainText.flatMap { ExactAmount(ifValid: $0) } }
            let sum = amounts.sum { ExactAmount(units: $0?.units.magnitude ?? 0) }
            let known = !amounts.contains { $0 == nil }
            notices.append(
                "Order \(number) lists refunds\(known ? " of \(sum.text(currency)) \(currency)" : ""); "
                    + "they do not change what is charged.")
        }
        if let status = json["status"]?.stringValue, ["cancelled", "refunded", "failed", "trash"].contains(status) {
            notices.append("Order \(number) has the status “\(status)”.")
        }
        return notices
    }
}
