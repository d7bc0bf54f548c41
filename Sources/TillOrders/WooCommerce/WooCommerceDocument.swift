import TillCore

/// The parts of a WooCommerce order document, read but not yet added up.
struct WooCommerceDocument {
    /// A line, a shipping charge or a fee.
    struct Part {
        let name: String
        let total: ExactAmount
        /// ``total`` with the digits with which the shop computes but that it does not display there: the price of one
        /// piece times the quantity, or the amount of a fee. `nil` if there is none, or it is another amount.
        let exactTotal: ExactAmount?
        let subtotal: ExactAmount?
        /// `total_tax`, if the document has it.
        let tax: ExactAmount?
        /// The sum of `taxes[].total`, displayed with more digits; `nil` if there is none or it is unreadable.
        let detailedTax: ExactAmount?
        /// The number of taxes summed in ``detailedTax``.
        let taxCount: Int
        let json: JSONValue
    }

    /// Totals that the document declares in addition to its list.
    struct Declared {
        let totalTax: ExactAmount?
        let cartTax: ExactAmount?
        let shippingTotal: ExactAmount?
        let shippingTax: ExactAmount?
        let discountTotal: ExactAmount?
        let discountTax: ExactAmount?
        /// The sum of `coupon_lines[].discount`; `nil` if there is no coupon.
        let couponTotal: ExactAmount?
    }

    let json: JSONValue
    let id: OrderID
    let number: String
    let currency: Currency
    let total: Money
    /// The decimal places that the shop displays, at most those of the currency. Some shops sell in whole euros.
    let places: Int
    let lines: [Part]
    let shipping: [Part]
    let fees: [Part]
    let giftCards: [(lastFour: String, amount: ExactAmount)]
    let declared: Declared
    /// The tax declared for the whole order if no part lists its own.
    let orderTax: ExactAmount

    init(_ json: JSONValue) throws(OrderError) {
        guard case .object = json else { throw .notAnOrder("the order is no object") }
        self.json = json
        guard let idText = json["id"]?.plainText else { throw .notAnOrder("it has no id") }
        do throws(IdentifierError) { id = try OrderID(selling: idText) } catch {
            throw .notAnOrder(
                error == .cardNumber
                    ? "its id reads as a card number" : "its id “\(idText.shownInError)” cannot be used as one")
        }
        let number = DisplayText.clean(json["number"]?.plainText ?? "")
        self.number = number.isEmpty ? idText : number
        guard let code = json["currency"]?.stringValue else { throw .notAnOrder("it has no currency") }
        let currency: Currency
        do throws(MoneyError) { currency = try Currency(code: code) } catch { throw .unknownCurrency(error) }
        self.currency = currency
        guard let totalText = json["total"]?.plainText else { throw .notAnOrder("it has no total") }
        do throws(MoneyError) { total = try WooCommerceDocument.total(json["total"], totalText, currency) } catch {
            throw .wrongAmount(field: "total", text: totalText, error)
        }
        places = WooCommerceDocument.places(json, currency)
        guard json["line_items"] != nil else { throw .notAnOrder("it has no line_items") }
        let declared = Declared(
            totalTax: try json.amount("total_tax"), cartTax: try json.amount("cart_tax"),
            shippingTotal: try json.amount("shipping_total"), shippingTax: try json.amount("shipping_tax"),
            discountTotal: try json.amount("discount_total"), discountTax: try json.amount("discount_tax"),
            couponTotal: try WooCommerceDocument.couponTotal(json))
        self.declared = declared
        lines = try WooCommerceDocument.parts(json, "line_items", name: "name", places)
        fees = try WooCommerceDocument.parts(json, "fee_lines", name: "name", places)
        var shipping = try WooCommerceDocument.parts(json, "shipping_lines", name: "method_title", places)
        let listsTax = (lines + fees + shipping).contains { $0.tax != nil }
        if shipping.isEmpty, let total = declared.shippingTotal,
            total != .zero || declared.shippingTax ?? .zero != .zero
        {
            shipping = [
                Part(
                    name: "Shipping", total: total, exactTotal: nil, subtotal: nil,
                    tax: listsTax ? declared.shippingTax : nil, detailedTax: nil, taxCount: 0, json: .null)
            ]
        }
        self.shipping = shipping
        orderTax =
            listsTax ? .zero : declared.totalTax ?? (declared.cartTax ?? .zero) + (declared.shippingTax ?? .zero)
        giftCards = try WooCommerceDocument.giftCards(json)
    }

    /// Parses the total. A number, which shops write from a binary fraction, may have noise after its twelfth decimal
    /// place.
    private static func total(_ value: JSONValue?, _ text: String, _ currency: Currency) throws(MoneyError) -> Money {
        guard case .number = value else { return try Money(parsing: text, currency: currency) }
        let exact = try ExactAmount(parsing: text)
        let money = try exact.rounded(to: currency)
        guard ExactAmount(money) == exact else { throw .tooPrecise(text, currency) }
        return money
    }

    /// Returns the most decimal places of any amount in the document.
    private static func places(_ json: JSONValue, _ currency: Currency) -> Int {
        var shown = ["total", "total_tax", "cart_tax", "shipping_total", "shipping_tax", "discount_total"].map {
            json[$0]
        }
        for list in ["line_items", "shipping_lines", "fee_lines"] {
            for part in (json[list]?.arrayValue ?? []).prefix(Order.maximumLines) {
                shown += ["total", "total_tax", "subtotal", "subtotal_tax"].map { part[$0] }
            }
        }
        // A number has lost its trailing zeros and does not show the shop's decimal places.
        guard shown.allSatisfy({ if case .number = $0 { false } else { true } }) else { return currency.exponent }
        let most = shown.map { value in
            guard let text = value?.stringValue, let point = text.utf8.lastIndex(of: UInt8(ascii: ".")) else {
                return 0
            }
            return text.utf8.distance(from: point, to: text.utf8.endIndex) - 1
        }.max()
        return min(most ?? currency.exponent, currency.exponent)
    }

    private static func parts(
        _ json: JSONValue, _ field: String, name: String, _ places: Int
    ) throws(OrderError) -> [Part] {
        var parts: [Part] = []
        for (index, part) in try json.list(field).enumerated() {
            let path = "\(field)[\(index)]"
            guard part["total"] != nil else { throw .notAnOrder("\(path) has no total") }
            let total = try part.amount("total", of: path) ?? .zero
            let exact = exactTotal(part).flatMap { total.isRounding(of: $0, places: places) ? $0 : nil }
            let (tax, count) = detailedTax(part)
            parts.append(
                Part(
                    name: DisplayText.clean(part[name]?.plainText ?? ""), total: total, exactTotal: exact,
                    subtotal: try part.amount("subtotal", of: path),
                    tax: try part.amount("total_tax", of: path) ?? tax, detailedTax: tax, taxCount: count, json: part))
        }
        return parts
    }

    private static func exactTotal(_ part: JSONValue) -> ExactAmount? {
        if let price = part["price"]?.plainText, let amount = ExactAmount(ifValid: price),
            let quantity = try? DecimalText(part["quantity"]?.plainText ?? "1")
        {
            return amount.times(quantity)
        }
        return part["amount"]?.plainText.flatMap { ExactAmount(ifValid: $0) }
    }

    private static func detailedTax(_ part: JSONValue) -> (sum: ExactAmount?, count: Int) {
        guard let taxes = part["taxes"]?.arrayValue, !taxes.isEmpty else { return (nil, 0) }
        var sum = ExactAmount.zero
        var count = 0
        for tax in taxes.prefix(Order.maximumLines) {
            // A rate that does not apply is written as an empty string.
            guard let value = tax["total"], !value.isNull else { continue }
            guard let text = value.plainText else { return (nil, 0) }
            if text.isEmpty { continue }
            guard let amount = ExactAmount(ifValid: text) else { return (nil, 0) }
            sum = sum + amount
            count += 1
        }
        return (sum, count)
    }

    private static func couponTotal(_ json: JSONValue) throws(OrderError) -> ExactAmount? {
        let coupons = try json.list("coupon_lines")
        var sum = ExactAmount.zero
        for (index, coupon) in coupons.enumerated() {
            sum = sum + (try coupon.amount("discount", of: "coupon_lines[\(index)]") ?? .zero)
        }
        return coupons.isEmpty ? nil : sum
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
    /// The text of a string, or the digits of a number: shops write amounts and identifiers in both ways.
    var plainText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .null, .bool, .array, .object: nil
        }
    }

    /// Returns an amount; `nil` if it is absent, `null` or empty.
    func amount(_ key: String, of path: String = "") throws(OrderError) -> ExactAmount? {
        let field = path.isEmpty ? key : "\(path).\(key)"
        guard let value = self[key], !value.isNull else { return nil }
        guard let text = value.plainText else { throw .notAnOrder("\(field) is no amount") }
        if text.isEmpty { return nil }
        do throws(MoneyError) { return try ExactAmount(parsing: text) } catch {
            throw .wrongAmount(field: field, text: text, error)
        }
    }
}
