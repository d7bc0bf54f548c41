import TillCore

/// Reads the members of a request, each with the type that the shop's schema names.
struct ShopBody {
    let json: JSONValue

    func text(_ name: String) throws(ShopRefusal) -> String? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let text = value.stringValue else { throw .init(.invalid(name, "\(name) is not of type string.")) }
        guard text.utf8.count <= 10_000 else { throw .init(.invalid(name, "\(name) is too long.")) }
        return text
    }

    func flag(_ name: String) throws(ShopRefusal) -> Bool? {
        guard let value = json[name], !value.isNull else { return nil }
        if let flag = value.boolValue { return flag }
        switch ShopAmount.text(value)?.lowercased() {
        case "true", "1": return true
        case "false", "0", "": return false
        default: throw .init(.invalid(name, "\(name) is not of type boolean."))
        }
    }

    func integer(_ name: String) throws(ShopRefusal) -> Int64? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let number = value.int64Value ?? value.stringValue.flatMap({ Int64($0) }) else {
            throw .init(.invalid(name, "\(name) is not of type integer."))
        }
        return number
    }

    func list(_ name: String) throws(ShopRefusal) -> [JSONValue]? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let list = value.arrayValue, list.allSatisfy({ $0.objectValue != nil }) else {
            throw .init(.invalid(name, "\(name) is not of type array."))
        }
        guard list.count <= ShopOrder.maximumParts else { throw .init(.invalid(name, "\(name) has too many items.")) }
        return list
    }

    func object(_ name: String) throws(ShopRefusal) -> [JSONMember]? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let members = value.objectValue else { throw .init(.invalid(name, "\(name) is not of type object.")) }
        return members
    }
}

extension ShopOrder {
    /// The price of one piece of a product without a price in the request, in major units.
    private static let defaultPrice: Int64 = 10

    /// Applies the members of a request except `status` and `set_paid`. Returns `true` if lines have changed.
    /// - Parameter next: returns a new id for a line or an entry.
    mutating func apply(_ body: ShopBody, next: () -> Int64) throws(ShopRefusal) -> Bool {
        if let code = try body.text("currency") {
            guard let currency = Currency(ifValid: code) else {
                throw .init(.invalid("currency", "currency is not one of the shop's."))
            }
            self.currency = currency
        }
        if let value = try body.integer("customer_id") { customer = value }
        if let value = try body.integer("parent_id") { parent = value }
        if let value = try body.text("customer_note") { customerNote = value }
        if let value = try body.text("payment_method") { paymentMethod = value }
        if let value = try body.text("payment_method_title") { paymentMethodTitle = value }
        if let value = try body.text("transaction_id") { transaction = value }
        if let members = try body.object("billing") { billing = ShopOrder.merged(billing, members) }
        if let members = try body.object("shipping") { shipping = ShopOrder.merged(shipping, members) }
        if let entries = try body.list("meta_data") { meta = try ShopOrder.merged(meta, entries, next: next) }
        var hasChanged = false
        for part in Part.allCases {
            guard let lines = try body.list(part.rawValue) else { continue }
            try apply(lines, to: part, next: next)
            hasChanged = true
        }
        return hasChanged
    }

    private mutating func apply(_ lines: [JSONValue], to part: Part, next: () -> Int64) throws(ShopRefusal) {
        var known = parts[part, default: []]
        for line in lines {
            let id = line["id"]?.int64Value
            let place = id.flatMap { id in known.firstIndex { $0["id"]?.int64Value == id } }
            if id != nil, place == nil {
                throw .init(
                    .error(
                        400, "woocommerce_rest_invalid_item_id", "Order item ID provided is not associated with order.")
                )
            }
            if let place, ShopOrder.isRemoval(line, of: part) {
                known.remove(at: place)
                continue
            }
            let kept =
                place.flatMap { known[$0].objectValue } ?? [JSONMember(key: "id", value: .number(String(next())))]
            let changed = try complete(ShopOrder.merged(kept, line.objectValue ?? []), part)
            if let place { known[place] = changed } else { known.append(changed) }
        }
        guard known.count <= ShopOrder.maximumParts else {
            throw .init(.invalid(part.rawValue, "\(part.rawValue) has too many items."))
        }
        parts[part] = known
    }

    /// `true` for a line that removes the one with its id: a quantity of zero, or the name of what it is set to null.
    private static func isRemoval(_ line: JSONValue, of part: Part) -> Bool {
        switch part {
        case .lineItems: line["quantity"]?.int64Value == 0 || line["product_id"]?.isNull == true
        case .shippingLines: line["method_title"]?.isNull == true || line["method_id"]?.isNull == true
        case .feeLines: line["name"]?.isNull == true
        case .couponLines: line["code"]?.isNull == true
        }
    }

    /// Adds what the shop computes for a line.
    private func complete(_ line: [JSONMember], _ part: Part) throws(ShopRefusal) -> JSONValue {
        var line = line.filter { !$0.value.isNull || $0.key == "sku" }
        func value(_ name: String) -> JSONValue? { line.first { $0.key == name }?.value }
        func fill(_ name: String, _ value: JSONValue) {
            if !line.contains(where: { $0.key == name }) { line.append(JSONMember(key: name, value: value)) }
        }
        for name in ["total", "total_tax", "subtotal", "subtotal_tax"] {
            guard let given = value(name), given != .string("") else { continue }
            guard let units = ShopAmount.minorUnits(given, currency) else {
                throw .init(.invalid(part.rawValue, "\(name) is not an amount."))
            }
            line.removeAll { $0.key == name }
            line.append(JSONMember(key: name, value: ShopAmount.json(units, currency)))
        }
        if part == .lineItems {
            fill("quantity", .number("1"))
            guard let quantity = value("quantity")?.int64Value, (1...1_000_000).contains(quantity) else {
                throw .init(.invalid(part.rawValue, "quantity is not of type integer."))
            }
            fill("name", .string("Product \(value("product_id")?.int64Value ?? 0)"))
            fill("product_id", .number("0"))
            fill("variation_id", .number("0"))
            fill("tax_class", .string(""))
            let unit = Int64(clamping: DecimalText.power(currency.exponent))
            fill("total", value("subtotal") ?? ShopAmount.json(quantity * ShopOrder.defaultPrice * unit, currency))
            fill("subtotal", value("total") ?? .null)
            fill("total_tax", ShopAmount.json(0, currency))
            fill("subtotal_tax", value("total_tax") ?? .null)
            fill("sku", .null)
            let units = ShopAmount.minorUnits(value("total"), currency) ?? 0
            line.removeAll { $0.key == "price" }
            fill("price", ShopOrder.price(units, quantity, currency))
        } else if part != .couponLines {
            fill("total", ShopAmount.json(0, currency))
            fill("total_tax", ShopAmount.json(0, currency))
        }
        fill("taxes", .array([]))
        fill("meta_data", .array([]))
        return .object(line)
    }

    /// Returns the price of one piece, a number with up to six more digits than the total.
    private static func price(_ total: Int64, _ quantity: Int64, _ currency: Currency) -> JSONValue {
        let (millionths, places) = (
            WideInteger(total) * 1_000_000 / WideInteger(quantity), currency.exponent + 6
        )
        var text = ShopAmount.decimal(millionths, places: places)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return .number(text)
    }

    /// Returns members with others over them.
    static func merged(_ members: [JSONMember], _ new: [JSONMember]) -> [JSONMember] {
        var merged = members
        for member in new {
            if let place = merged.firstIndex(where: { $0.key == member.key }) {
                if member.key != "id" { merged[place].value = member.value }
            } else {
                merged.append(member)
            }
        }
        return merged
    }

    /// Returns meta entries with others over them: by id, or by key. A value of null removes an entry.
    static func merged(
        _ entries: [JSONValue], _ new: [JSONValue], next: () -> Int64
    ) throws(ShopRefusal) -> [JSONValue] {
        var merged = entries
        for entry in new {
            let id = entry["id"]?.int64Value
            guard
                let key = entry["key"]?.stringValue
                    ?? merged.first(where: { $0["id"]?.int64Value == id })?["key"]?
                    .stringValue
            else { throw .init(.invalid("meta_data", "meta_data[0][key] is not of type string.")) }
            let place = merged.firstIndex { known in
                if let id { known["id"]?.int64Value == id } else { known["key"] == .string(key) }
            }
            let value = entry["value"] ?? .null
            if value.isNull {
                if let place { merged.remove(at: place) }
                continue
            }
            let number = place.flatMap { merged[$0]["id"]?.int64Value } ?? next()
            let kept = JSONValue.members(["id": .number(String(number)), "key": .string(key), "value": value])
            if let place { merged[place] = kept } else { merged.append(kept) }
        }
        guard merged.count <= ShopOrder.maximumParts else {
            throw .init(.invalid("meta_data", "meta_data has too many items."))
        }
        return merged
    }
}
