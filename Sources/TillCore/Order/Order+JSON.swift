extension Order {
    /// The stored form of the order. ``init(json:)`` reads it back to an equal value; amounts are decimal text.
    public var jsonValue: JSONValue {
        var members: [JSONMember] = [
            .init("id", .string(id.rawValue)), .init("number", .string(number)),
            .init("currency", .string(currency.code)), .init("total", .money(total)),
        ]
        if let description { members.append(.init("description", .string(description))) }
        if lines.isEmpty { members.append(.init("subtotal", .money(subtotal))) }
        members.append(.init("tax", .money(taxTotal)))
        if !rounding.isZero { members.append(.init("rounding", .money(rounding))) }
        let lists: [(String, [JSONValue])] = [
            ("lines", lines.map(\.json)), ("shipping", shipping.map(\.json)), ("fees", fees.map(\.json)),
            ("coupons", coupons.map { .pair("code", $0.code, "discount", .money($0.discount)) }),
            ("gift_cards", giftCards.map { .pair("last_four", $0.lastFour, "amount", .money($0.amount)) }),
            ("taxes", taxes.map { .pair("label", $0.label, "total", .money($0.total)) }),
            ("notices", notices.map { .string($0) }),
        ]
        for (key, values) in lists where !values.isEmpty { members.append(.init(key, .array(values))) }
        if let standing { members.append(.init("standing", standing.json)) }
        if let part { members.append(.init("part", part.json)) }
        if !metadata.isEmpty { members.append(.init("metadata", metadata.json)) }
        return .object(members)
    }

    /// Reads ``jsonValue`` and verifies its arithmetic again.
    /// - Throws: ``OrderError`` for anything else.
    public init(json: JSONValue) throws(OrderError) {
        let idText = try json.storedText("id")
        let id: OrderID
        do { id = try OrderID(validating: idText) } catch { throw .notAnOrder("its id cannot be used as one") }
        let currency: Currency
        do throws(MoneyError) { currency = try Currency(code: try json.storedCode()) } catch {
            throw .unknownCurrency(error)
        }
        let optional = { (key: String) throws(OrderError) -> Money? in
            json[key] == nil ? nil : try json.storedMoney(key, currency)
        }
        try self.init(
            id: id, number: try json.storedText("number"), description: json["description"]?.stringValue,
            lines: try json.stored("lines") { (line) throws(OrderError) in try OrderLine(stored: line, currency) },
            shipping: try json.stored("shipping") { (part) throws(OrderError) in try OrderCharge(stored: part, currency)
            },
            fees: try json.stored("fees") { (part) throws(OrderError) in try OrderCharge(stored: part, currency) },
            coupons: try json.stored("coupons") { (part) throws(OrderError) in
                OrderCoupon(code: try part.storedText("code"), discount: try part.storedMoney("discount", currency))
            },
            giftCards: try json.stored("gift_cards") { (part) throws(OrderError) in
                OrderGiftCard(
                    lastFour: try part.storedText("last_four"), amount: try part.storedMoney("amount", currency))
            },
            taxes: try json.stored("taxes") { (part) throws(OrderError) in
                OrderTax(label: try part.storedText("label"), total: try part.storedMoney("total", currency))
            },
            subtotal: try optional("subtotal"), taxTotal: try optional("tax"), rounding: try optional("rounding"),
            total: try json.storedMoney("total", currency),
            notices: (json["notices"]?.arrayValue ?? []).compactMap(\.stringValue),
            standing: try json["standing"].map { (standing) throws(OrderError) in try OrderStanding(json: standing) })
        part = try json["part"].map { (part) throws(OrderError) in try OrderPart(json: part) }
        metadata = OrderMetadata(json: json["metadata"])
    }
}

extension OrderLine {
    fileprivate var json: JSONValue {
        var members: [JSONMember] = [.init("name", .string(name)), .init("quantity", .string(quantity))]
        if let sku { members.append(.init("sku", .string(sku))) }
        if !attributes.isEmpty {
            let values = attributes.map { JSONValue.pair("name", $0.name, "value", .string($0.value)) }
            members.append(.init("attributes", .array(values)))
        }
        members.append(.init("subtotal", .money(subtotal)))
        members.append(.init("total", .money(total)))
        members.append(.init("tax", .money(tax)))
        return .object(members)
    }

    fileprivate init(stored json: JSONValue, _ currency: Currency) throws(OrderError) {
        self.init(
            name: try json.storedText("name"), quantity: try json.storedText("quantity"), sku: json["sku"]?.stringValue,
            attributes: try json.stored("attributes") { (entry) throws(OrderError) in
                OrderAttribute(name: try entry.storedText("name"), value: try entry.storedText("value"))
            },
            subtotal: try json.storedMoney("subtotal", currency), total: try json.storedMoney("total", currency),
            tax: try json.storedMoney("tax", currency))
    }
}

extension OrderCharge {
    fileprivate var json: JSONValue {
        .object([.init("name", .string(name)), .init("total", .money(total)), .init("tax", .money(tax))])
    }

    fileprivate init(stored json: JSONValue, _ currency: Currency) throws(OrderError) {
        self.init(
            name: try json.storedText("name"), total: try json.storedMoney("total", currency),
            tax: try json.storedMoney("tax", currency))
    }
}

extension JSONMember {
    fileprivate init(_ key: String, _ value: JSONValue) { self.init(key: key, value: value) }
}

extension JSONValue {
    fileprivate static func money(_ money: Money) -> JSONValue { .string(money.decimalString) }

    fileprivate static func pair(_ key: String, _ text: String, _ amountKey: String, _ amount: JSONValue) -> JSONValue {
        .object([.init(key, .string(text)), .init(amountKey, amount)])
    }

    fileprivate func storedText(_ key: String) throws(OrderError) -> String {
        guard let text = self[key]?.stringValue else { throw .notAnOrder("it has no \(key)") }
        return text
    }

    fileprivate func storedCode() throws(MoneyError) -> String {
        guard let code = self["currency"]?.stringValue else { throw .unknownCurrency("") }
        return code
    }

    fileprivate func storedMoney(_ key: String, _ currency: Currency) throws(OrderError) -> Money {
        let text = try storedText(key)
        do throws(MoneyError) { return try Money(parsing: text, currency: currency) } catch {
            throw .wrongAmount(field: key, text: text, error)
        }
    }

    fileprivate func stored<Part>(
        _ key: String, _ read: (JSONValue) throws(OrderError) -> Part
    ) throws(OrderError) -> [Part] {
        var parts: [Part] = []
        for value in try list(key) { parts.append(try read(value)) }
        return parts
    }
}

extension JSONValue {
    /// Returns a list of objects; empty if it is absent or `null`.
    package func list(_ key: String) throws(OrderError) -> [JSONValue] {
        guard let value = self[key], !value.isNull else { return [] }
        guard let values = value.arrayValue else { throw .notAnOrder("\(key) is no list") }
        guard values.count <= Order.maximumLines else { throw .tooMany(key, limit: Order.maximumLines) }
        for (index, value) in values.enumerated() {
            guard case .object = value else { throw .notAnOrder("\(key)[\(index)] is no object") }
        }
        return values
    }
}
