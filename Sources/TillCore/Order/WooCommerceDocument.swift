/// The parts of a WooCommerce order document, read but not yet added up.
struct WooCommerceDocument {
    /// A line, a shipping charge or a fee.
    struct Part {
        let name: String
        let total: ExactAmount
        let subtotal: ExactAmount?
        /// `total_tax`, if the document has it.
        let tax: ExactAmount?
        /// The sum of `taxes[].total`, which shops show with more digits; `nil` if there is none or it is unreadable.
        let detailedTax: ExactAmount?
        let json: JSONValue
    }

    /// Totals that the document declares beside its list.
    struct Declared {
        let totalTax: ExactAmount?
        let cartTax: ExactAmount?
        let shippingTotal: ExactAmount?
        let shippingTax: ExactAmount?
        let discountTotal: ExactAmount?
    }

    let json: JSONValue
    let id: OrderID
    let number: String
    let currency: Currency
    let total: Money
    let lines: [Part]
    let shipping: [Part]
    let fees: [Part]
    let giftCards: [(lastFour: String, amount: ExactAmount)]
    let declared: Declared
    /// Tax declared for the whole order where no part lists its own.
    let orderTax: ExactAmount

    init(_ json: JSONValue) throws(OrderError) {
        guard case .object = json else { throw .notAnOrder("the order is no object") }
        self.json = json
        guard let idText = json["id"]?.plainText else { throw .notAnOrder("it has no id") }
        do { id = try OrderID(validating: idText) } catch {
            throw .notAnOrder("its id “\(idText.shownInError)” cannot be used as one")
        }
        let number = DisplayText.clean(json["number"]?.plainText ?? "")
        self.number = number.isEmpty ? idText : number
        guard let code = json["currency"]?.stringValue else { throw .notAnOrder("it has no currency") }
        let currency: Currency
        do throws(MoneyError) { currency = try Currency(code: code) } catch { throw .unknownCurrency(error) }
        self.currency = currency
        guard let totalText = json["total"]?.plainText else { throw .notAnOrder("it has no total") }
        do throws(MoneyError) { total = try Money(parsing: totalText, currency: currency) } catch {
            throw .wrongAmount(field: "total", text: totalText, error)
        }
        guard json["line_items"] != nil else { throw .notAnOrder("it has no line_items") }
        let declared = Declared(
            totalTax: try json.amount("total_tax"), cartTax: try json.amount("cart_tax"),
            shippingTotal: try json.amount("shipping_total"), shippingTax: try json.amount("shipping_tax"),
            discountTotal: try json.amount("discount_total"))
        self.declared = declared
        lines = try WooCommerceDocument.parts(json, "line_items", name: "name")
        fees = try WooCommerceDocument.parts(json, "fee_lines", name: "name")
        var shipping = try WooCommerceDocument.parts(json, "shipping_lines", name: "method_title")
        let listsTax = (lines + fees + shipping).contains { $0.tax != nil }
        if shipping.isEmpty, let total = declared.shippingTotal,
            total != .zero || declared.shippingTax ?? .zero != .zero
        {
            shipping = [
                Part(
                    name: "Shipping", total: total, subtotal: nil, tax: listsTax ? declared.shippingTax : nil,
                    detailedTax: nil, json: .null)
            ]
        }
        self.shipping = shipping
        orderTax =
            listsTax ? .zero : declared.totalTax ?? (declared.cartTax ?? .zero) + (declared.shippingTax ?? .zero)
        giftCards = try WooCommerceDocument.giftCards(json)
    }

    private static func parts(_ json: JSONValue, _ field: String, name: String) throws(OrderError) -> [Part] {
        var parts: [Part] = []
        for (index, part) in try json.list(field).enumerated() {
            let path = "\(field)[\(index)]"
            guard let total = try part.amount("total", of: path) else { throw .notAnOrder("\(path) has no total") }
            parts.append(
                Part(
                    name: DisplayText.clean(part[name]?.plainText ?? ""), total: total,
                    subtotal: try part.amount("subtotal", of: path), tax: try part.amount("total_tax", of: path),
                    detailedTax: detailedTax(part), json: part))
        }
        return parts
    }

    private static func detailedTax(_ part: JSONValue) -> ExactAmount? {
        guard let taxes = part["taxes"]?.arrayValue, !taxes.isEmpty else { return nil }
        var sum = ExactAmount.zero
        for tax in taxes {
            // A rate that does not apply is shown as an empty text.
            guard let text = tax["total"]?.plainText else { return nil }
            if text.isEmpty { continue }
            guard let amount = try? ExactAmount(parsing: text) else { return nil }
            sum = sum + amount
        }
        return sum
    }

    private static func giftCards(_ json: JSONValue) throws(OrderError) -> [(lastFour: String, amount: ExactAmount)] {
        var cards: [(lastFour: String, amount: ExactAmount)] = []
        for (index, card) in try json.list("gift_cards").enumerated() {
            guard let amount = try card.amount("amount", of: "gift_cards[\(index)]") else {
                throw .notAnOrder("gift_cards[\(index)] has no amount")
            }
            cards.append((String(DisplayText.clean(card["code"]?.plainText ?? "").suffix(4)), amount))
        }
        return cards
    }
}

extension JSONValue {
    /// A string, or the digits of a number: shops write amounts and identifiers in both ways.
    var plainText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .null, .bool, .array, .object: nil
        }
    }

    /// An amount; `nil` if it is absent, `null` or empty.
    func amount(_ key: String, of path: String = "") throws(OrderError) -> ExactAmount? {
        let field = path.isEmpty ? key : "\(path).\(key)"
        guard let value = self[key], !value.isNull else { return nil }
        guard let text = value.plainText else { throw .notAnOrder("\(field) is no amount") }
        if text.isEmpty { return nil }
        do throws(MoneyError) { return try ExactAmount(parsing: text) } catch {
            throw .wrongAmount(field: field, text: text, error)
        }
    }

    /// A list of objects; empty if it is absent or `null`.
    func list(_ key: String) throws(OrderError) -> [JSONValue] {
        guard let value = self[key], !value.isNull else { return [] }
        guard let values = value.arrayValue else { throw .notAnOrder("\(key) is no list") }
        guard values.count <= Order.maximumLines else { throw .tooMany(key, limit: Order.maximumLines) }
        for (index, value) in values.enumerated() {
            guard case .object = value else { throw .notAnOrder("\(key)[\(index)] is no object") }
        }
        return values
    }
}
