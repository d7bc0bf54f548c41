public import TillCore

extension Order {
    /// Reads an order of PayPal's Orders v2 API, either the create request or the response: one purchase unit,
    /// identified by its `invoice_id`, else its `custom_id`, the order's `id` or the unit's `reference_id`.
    ///
    /// ```swift
    /// let text = #"{"purchase_units":[{"invoice_id":"1001","amount":{"currency_code":"EUR","value":"12.50"}}]}"#
    /// let order = try Order(payPal: JSONValue(parsing: text.utf8))
    /// print(order.id, order.total)  // 1001 12.50 EUR
    /// ```
    ///
    /// The amount charged is the unit's `amount.value`. It must equal, to the minor unit, `item_total + tax_total +
    /// shipping + handling + insurance - shipping_discount - discount`, and the items must add up to the declared
    /// `item_total` and `tax_total`.
    /// - Throws: `OrderError` naming the missing part or the difference.
    public init(payPal document: JSONValue) throws(OrderError) {
        guard let units = document["purchase_units"]?.arrayValue, let unit = units.first else {
            throw .notAnOrder("its purchase_units are no list with an entry")
        }
        guard units.count == 1 else {
            throw .notAnOrder("it has \(units.count) purchase units, and one is sold at a time")
        }
        self = try PayPalDocument(document, unit).order()
    }
}

/// One PayPal purchase unit, with the amounts in the currency of its total.
private struct PayPalDocument {
    let document: JSONValue
    let unit: JSONValue
    let currency: Currency
    let total: Money

    private static let place = "purchase_units[0]"

    init(_ document: JSONValue, _ unit: JSONValue) throws(OrderError) {
        self.document = document
        self.unit = unit
        guard let amount = unit["amount"], let code = amount["currency_code"]?.stringValue else {
            throw .notAnOrder("its \(PayPalDocument.place).amount has no currency_code")
        }
        do throws(MoneyError) { currency = try Currency(code: code) } catch { throw .unknownCurrency(error) }
        guard let total = try PayPalDocument.money(amount, currency, "amount") else {
            throw .notAnOrder("its \(PayPalDocument.place).amount has no value")
        }
        self.total = total
    }

    private static func money(
        _ value: JSONValue?, _ currency: Currency, _ field: String
    ) throws(OrderError) -> Money? {
        guard let value, value != .null else { return nil }
        let field = "\(place).\(field)"
        guard let text = value["value"]?.stringValue else { throw .notAnOrder("its \(field) has no value") }
        guard value["currency_code"]?.stringValue == currency.code else {
            throw .notAnOrder("its \(field) is not in \(currency.code), as its total is")
        }
        do throws(MoneyError) { return try Money(parsing: text, currency: currency) } catch {
            throw .wrongAmount(field: field, text: text, error)
        }
    }

    private func part(_ name: String) throws(OrderError) -> Money {
        let value = unit["amount"]?["breakdown"]?[name]
        return try PayPalDocument.money(value, currency, "amount.breakdown.\(name)") ?? .zero(currency)
    }

    /// Returns the identifier by which the shop knows the order.
    private func name() throws(OrderError) -> String {
        let reference = unit["reference_id"]?.stringValue
        let names = [
            unit["invoice_id"]?.stringValue, unit["custom_id"]?.stringValue, document["id"]?.stringValue,
            reference == "default" ? nil : reference,
        ]
        guard let name = names.compactMap({ $0 }).first(where: { !$0.isEmpty }) else {
            throw .notAnOrder("it has no invoice_id, custom_id or id to be known by")
        }
        return name
    }

    private func times(_ money: Money?, _ quantity: Int64, _ field: String) throws(OrderError) -> Money {
        guard let money else { return .zero(currency) }
        let (units, overflow) = money.minorUnits.multipliedReportingOverflow(by: quantity)
        guard !overflow else { throw .wrongAmount(field: field, text: "", .outOfRange) }
        return Money(minorUnits: units, currency: currency)
    }

    private func lines() throws(OrderError) -> [OrderLine] {
        var lines: [OrderLine] = []
        let items = unit["items"] ?? .null
        guard items.isNull || items.arrayValue != nil else {
            throw .notAnOrder("its \(PayPalDocument.place).items are no list")
        }
        for (index, item) in (items.arrayValue ?? []).enumerated() {
            let place = "items[\(index)]"
            guard let text = item["quantity"]?.stringValue, text.utf8.count <= 10, let quantity = Int64(text),
                quantity > 0
            else { throw .notAnOrder("its \(PayPalDocument.place).\(place).quantity is no number of pieces") }
            guard let price = try PayPalDocument.money(item["unit_amount"], currency, "\(place).unit_amount") else {
                throw .notAnOrder("its \(PayPalDocument.place).\(place) has no unit_amount")
            }
            let tax = try PayPalDocument.money(item["tax"], currency, "\(place).tax")
            let sum = try times(price, quantity, "\(place).unit_amount")
            lines.append(
                OrderLine(
                    name: DisplayText.clean(item["name"]?.stringValue ?? ""), quantity: text,
                    sku: item["sku"]?.stringValue.map { DisplayText.clean($0) }, subtotal: sum, total: sum,
                    tax: try times(tax, quantity, "\(place).tax")))
        }
        return lines
    }

    private func charge(_ name: String, _ field: String, isReduction: Bool = false) throws(OrderError) -> [OrderCharge]
    {
        let amount = try part(field)
        guard !amount.isNegative else { throw .notAnOrder("its \(field) is below zero") }
        guard !amount.isZero else { return [] }
        return [OrderCharge(name: name, total: isReduction ? try minus(amount) : amount, tax: .zero(currency))]
    }

    private func minus(_ money: Money) throws(OrderError) -> Money {
        do throws(MoneyError) { return try Money.zero(currency).subtracting(money) } catch {
            throw .wrongAmount(field: "an amount", text: "", error)
        }
    }

    private func sum(_ lines: [OrderLine], _ amount: (OrderLine) -> Money) throws(OrderError) -> Money {
        do throws(MoneyError) { return try lines.sum(currency, amount) } catch {
            throw .wrongAmount(field: "an amount", text: "", error)
        }
    }

    func order() throws(OrderError) -> Order {
        let name = try name()
        guard !CardNumberMask.finds(in: name) else { throw .notAnOrder("its name reads as a card number") }
        guard let id = OrderID(ifValid: name) else {
            throw .notAnOrder("its name \(name.shownInError) has other characters than ASCII, or too many")
        }
        let (lines, tax, items) = (try lines(), try part("tax_total"), try part("item_total"))
        let hasBreakdown = unit["amount"]?["breakdown"] != nil
        if !lines.isEmpty, hasBreakdown {
            let (listed, listedTax) = (try sum(lines) { $0.total }, try sum(lines) { $0.tax })
            guard listed == items else {
                throw .declaredPartDiffers(order: name, part: "item_total", declared: items, listed: listed)
            }
            guard listedTax.isZero || listedTax == tax else {
                throw .declaredPartDiffers(order: name, part: "tax_total", declared: tax, listed: listedTax)
            }
        }
        return try Order(
            id: id, number: DisplayText.clean(name),
            description: unit["description"]?.stringValue.map { DisplayText.clean($0) }, lines: lines,
            shipping: try charge("Shipping", "shipping"),
            fees: try charge("Handling", "handling") + charge("Insurance", "insurance")
                + charge("Shipping discount", "shipping_discount", isReduction: true)
                + charge("Discount", "discount", isReduction: true),
            subtotal: hasBreakdown ? items : total, taxTotal: tax.isZero ? nil : tax, total: total,
            notices: notices(name),
            standing: standing)
    }

    /// The order's status at PayPal, if it speaks against charging it.
    private var standing: OrderStanding? {
        let captures = unit["payments"]?["captures"]?.arrayValue ?? []
        if !captures.isEmpty, captures.allSatisfy({ $0["status"]?.stringValue == "REFUNDED" }) { return .refunded }
        switch document["status"]?.stringValue {
        case "VOIDED": return .canceled
        case "COMPLETED":
            let moment = document["update_time"]?.stringValue ?? ""
            return .paid(on: DisplayText.clean(String(moment.prefix { $0 != "T" })), through: "PayPal")
        default: return nil
        }
    }

    /// The parts read in addition to the amounts.
    private static let shapes = ExpectedShapes(parts: [
        "id": .text, "status": .text, "intent": .text, "update_time": .text, "purchase_units[].invoice_id": .text,
        "purchase_units[].custom_id": .text, "purchase_units[].reference_id": .text,
        "purchase_units[].description": .text, "purchase_units[].items[].name": .text,
        "purchase_units[].items[].sku": .text, "purchase_units[].payments": .object,
        "purchase_units[].payments.captures": .list, "purchase_units[].payments.captures[]": .object,
        "purchase_units[].payments.captures[].status": .text,
    ])

    private func notices(_ name: String) -> [String] {
        var notices = PayPalDocument.shapes.notices(of: document, DisplayText.clean(name))
        if let status = document["status"]?.stringValue, status != "CREATED" {
            notices.append("Order \(DisplayText.clean(name)) has the status “\(DisplayText.clean(status))” at PayPal.")
        }
        if document["intent"]?.stringValue == "AUTHORIZE" {
            notices.append("Order \(DisplayText.clean(name)) asks to hold the money; what is chosen here counts.")
        }
        return notices
    }
}
