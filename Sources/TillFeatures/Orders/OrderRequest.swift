import TillCore
import TillJournal
import TillOrders
import TillWeb

/// An order as a program sends it: plain members, or the document of a shop with what the shop says beside it.
enum OrderRequest {
    /// The maximum size of a request, in bytes. It leaves room in a record for what a document is kept as.
    static let maximumBodyBytes = 1 << 20
    /// The maximum size of an order as it is kept, in bytes.
    static let maximumKeptBytes = 192 << 10
    /// The maximum size of an order's identifier, in bytes: a part has the identifier and its number.
    static let maximumNameBytes = 120
    /// The maximum size of a name, a label or a line of an address, in bytes.
    static let maximumLabelBytes = 200
    /// The maximum size of a note, in bytes.
    static let maximumNoteBytes = 2_000

    private static let envelope: Set<String> = ["customer", "handover", "note", "wanted_at", "metadata"]
    private static let plain: Set<String> = ["order_id", "number", "currency", "amount", "lines", "shipping", "fees"]

    /// Returns the identifiers in a request, with their places: they are refused instead of masked.
    static func identifiers(in body: JSONValue) -> [(place: String, value: JSONValue)] {
        (body["number"].map { [(place: "number", value: $0)] } ?? [])
    }

    /// Reads a request.
    /// - Parameters:
    ///   - name: the identifier in the path of the request, which the order must have.
    ///   - scope: the scope of the shop's order numbers.
    static func content(
        _ body: JSONValue, of name: OrderID? = nil, in scope: OrderScope?
    ) throws -> BookedOrder.Content {
        let document = body["order"].flatMap { $0.isNull ? nil : $0 }
        try body.allow(document == nil ? plain.union(envelope) : envelope.union(["order", "order_id"]))
        let named = try body.text("order_id", atMost: maximumNameBytes).map { text in
            do throws(IdentifierError) { return try OrderID(selling: text) } catch {
                throw Problem.field("order_id", "\(error)")
            }
        }
        var order = try document.map { try Order(document: $0) } ?? plainOrder(body, named ?? name)
        if let named, named != order.id {
            throw Problem.field("order_id", "The order document is of order \(order.id).")
        }
        guard !BookedOrder.reservedNames.contains(order.id.rawValue) else { throw Problem.orderName(order.id) }
        order = try order.scoped(scope)
        if let name, try scope.map({ try scoped(name, $0) }) ?? name != order.id {
            throw Problem.field("order_id", "The request is about order \(name).")
        }
        try check(order.id)
        order.metadata = try metadata(in: body)
        let shop = document.map { ShopDocument($0) }
        let content = BookedOrder.Content(
            order: order, contact: try contact(in: body) ?? shop?.contact,
            handover: try handover(in: body) ?? shop?.handover ?? .none,
            note: try text("note", of: body, atMost: maximumNoteBytes) ?? shop?.note,
            wantedAt: try body.timeWithOffset("wanted_at"))
        try checkSize(of: BookedOrder(account: .main, content: content, at: Timestamp(milliseconds: 0)))
        return content
    }

    /// Refuses an order that could not be booked by a request either: by its name or its size.
    static func check(_ order: BookedOrder) throws {
        guard !BookedOrder.reservedNames.contains(order.id.rawValue) else { throw Problem.orderName(order.id) }
        try check(order.id)
        try checkSize(of: order)
    }

    private static func check(_ name: OrderID) throws {
        guard name.rawValue.utf8.count <= maximumNameBytes else {
            throw Problem.field("order_id", "It must have at most \(maximumNameBytes) bytes.")
        }
        guard name.whole == name else {
            throw Problem.field("order_id", "It must not end in ~ and digits: parts of orders are named so.")
        }
    }

    private static func checkSize(of order: BookedOrder) throws {
        guard order.record.body.count <= maximumKeptBytes else {
            throw Problem.field("order", "It has too much in it: an order is kept in \(maximumKeptBytes) bytes.")
        }
    }

    static func scoped(_ name: OrderID, _ scope: OrderScope) throws -> OrderID {
        do throws(IdentifierError) { return try scope.id(of: name) } catch {
            throw Problem.field("order_id", "\(error)")
        }
    }

    // MARK: Plain members

    private static func plainOrder(_ body: JSONValue, _ name: OrderID?) throws -> Order {
        guard let name else { throw Problem.field("order_id", "It is missing.") }
        guard let code = try body.text("currency", atMost: 3) else { throw Problem.field("currency", "It is missing.") }
        let currency: Currency
        do throws(MoneyError) { currency = try Currency(code: code) } catch {
            throw Problem.field("currency", "\(error)")
        }
        guard let amount = try body.amount("amount", currency) else {
            throw Problem.field("amount", "It is missing.", code: "invalid_amount")
        }
        let number = try text("number", of: body, atMost: maximumLabelBytes) ?? name.rawValue
        let lines = try list("lines", of: body).map { place, value in try line(value, place, currency) }
        let shipping = try list("shipping", of: body).map { place, value in try charge(value, place, currency) }
        let fees = try list("fees", of: body).map { place, value in try charge(value, place, currency) }
        guard !lines.isEmpty || (shipping.isEmpty && fees.isEmpty) else {
            throw Problem.field("lines", "They are missing, and there is shipping or a fee.")
        }
        return try Order(
            id: name, number: number, lines: lines, shipping: shipping, fees: fees,
            subtotal: lines.isEmpty ? amount : nil, total: amount)
    }

    private static func list(_ name: String, of body: JSONValue) throws -> [(String, JSONValue)] {
        guard let value = body[name], !value.isNull else { return [] }
        guard let entries = value.arrayValue, entries.count <= Order.maximumLines else {
            throw Problem.field(name, "It must be a list of at most \(Order.maximumLines) entries.")
        }
        return entries.enumerated().map { ("\(name)/\($0.offset)/", $0.element) }
    }

    private static func line(_ value: JSONValue, _ place: String, _ currency: Currency) throws -> OrderLine {
        try checkObject(value, ["name", "quantity", "amount", "tax", "sku", "options"], place)
        let amount = try money("amount", of: value, place, currency)
        let options = try (value["options"].flatMap { $0.isNull ? nil : $0 }).map { options in
            guard let members = options.objectValue, members.count <= OrderMetadata.maximumKeys else {
                throw Problem.field(
                    place + "options", "It must be an object with at most \(OrderMetadata.maximumKeys) options.")
            }
            return try members.map { member in
                let value = try text(member.key, of: options, place + "options/", atMost: maximumLabelBytes)
                return OrderAttribute(
                    name: DisplayText.clean(member.key), value: try need(value, place + "options/" + member.key))
            }
        }
        return OrderLine(
            name: try need(text("name", of: value, place, atMost: maximumLabelBytes), place + "name"),
            quantity: try quantity(value["quantity"], place), sku: try text("sku", of: value, place, atMost: 64),
            attributes: options ?? [], subtotal: amount, total: amount,
            tax: try value["tax"].map { _ in try money("tax", of: value, place, currency) } ?? .zero(currency))
    }

    private static func charge(_ value: JSONValue, _ place: String, _ currency: Currency) throws -> OrderCharge {
        try checkObject(value, ["name", "amount", "tax"], place)
        return OrderCharge(
            name: try need(text("name", of: value, place, atMost: maximumLabelBytes), place + "name"),
            total: try money("amount", of: value, place, currency),
            tax: try value["tax"].map { _ in try money("tax", of: value, place, currency) } ?? .zero(currency))
    }

    private static func quantity(_ value: JSONValue?, _ place: String) throws -> String {
        guard let value, !value.isNull else { return "1" }
        let text = value.stringValue ?? value.text
        guard (1...12).contains(text.utf8.count), text.wholeMatch(of: /[0-9]+(\.[0-9]+)?/) != nil else {
            throw Problem.field(place + "quantity", "It must be a number such as 2 or 1.5, of at most 12 characters.")
        }
        return text
    }

    // MARK: What comes with an order

    private static func contact(in body: JSONValue) throws -> OrderContact? {
        guard let value = body["customer"], !value.isNull else { return nil }
        let place = "customer/"
        try checkObject(value, ["name", "phone", "email", "address"], place)
        var contact = OrderContact(
            name: try text("name", of: value, place, atMost: maximumLabelBytes),
            phone: try text("phone", of: value, place, atMost: 40),
            email: try text("email", of: value, place, atMost: 254))
        if let address = value["address"], !address.isNull {
            let place = place + "address/"
            try checkObject(address, ["lines", "city", "postal_code", "country"], place)
            let given = address["lines"].flatMap { $0.isNull ? nil : $0 } ?? .array([])
            guard let lines = given.arrayValue, lines.count <= OrderContact.Address.maximumLines else {
                throw Problem.field(
                    place + "lines", "It must be a list of at most \(OrderContact.Address.maximumLines) lines.")
            }
            contact.address = OrderContact.Address(
                lines: try lines.enumerated().map { index, line in
                    let text = line.stringValue.map { DisplayText.clean($0) } ?? ""
                    guard !text.isEmpty else { throw Problem.field("\(place)lines/\(index)", "It must be text.") }
                    return text
                },
                city: try text("city", of: address, place, atMost: maximumLabelBytes),
                postalCode: try text("postal_code", of: address, place, atMost: 16),
                country: try text("country", of: address, place, atMost: 2))
        }
        return contact.isEmpty ? nil : contact
    }

    private static func handover(in body: JSONValue) throws -> Handover? {
        guard let word = try body.text("handover", atMost: 16) else { return nil }
        guard let handover = Handover(rawValue: word) else {
            let known = Handover.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.field("handover", "It must be one of \(known).")
        }
        return handover
    }

    private static func metadata(in body: JSONValue) throws -> OrderMetadata { try body.metadata() ?? .none }

    // MARK: Values

    private static func checkObject(_ value: JSONValue, _ members: Set<String>, _ place: String) throws {
        guard value.objectValue != nil else { throw Problem.field(String(place.dropLast()), "It must be an object.") }
        try value.allow(members, in: place)
    }

    /// Returns a text to be displayed, without control characters; `nil` for none.
    private static func text(
        _ name: String, of value: JSONValue, _ place: String = "", atMost limit: Int
    ) throws -> String? {
        guard let text = try value.text(name, in: place, atMost: limit) else { return nil }
        let clean = DisplayText.clean(text, atMost: limit + 1)
        return clean.isEmpty ? nil : clean
    }

    private static func need(_ text: String?, _ place: String) throws -> String {
        guard let text else { throw Problem.field(place, "It is missing.") }
        return text
    }

    /// Returns an amount, which is below zero for a reduction.
    private static func money(
        _ name: String, of value: JSONValue, _ place: String, _ currency: Currency
    ) throws -> Money {
        let most = 999_999_999_999 as Int64
        guard let units = value[name]?.int64Value, (-most...most).contains(units) else {
            throw Problem.field(
                place + name, "It must be a whole number of minor units with at most twelve digits.",
                code: "invalid_amount")
        }
        return Money(minorUnits: units, currency: currency)
    }
}
