import TillApplePay
import TillCore
import TillCounter
import TillWeb

/// A basket as the shop's server sends it: an order with its goods, prices and delivery rule. Unknown members are
/// refused, and the parts must add up to the amount.
struct BasketRequest: Sendable {
    /// The maximum size of a request.
    static let maximumBodyBytes = 65_536
    /// The maximum number of items.
    static let maximumItems = SheetBasket.maximumLines
    /// The maximum size of a label, a detail or an identifier, in bytes.
    static let maximumLabelBytes = 128
    /// The maximum number of shipping methods.
    static let maximumShippingMethods = 16
    /// The maximum number of areas in a delivery rule, and of parts of one area.
    static let maximumAreas = 1_000
    /// The maximum size of a note, in bytes.
    static let maximumNoteBytes = 500
    /// The maximum size of any one amount, in minor units: twelve digits, as in an order.
    static let maximumUnits: Int64 = 999_999_999_999

    private static let members: Set<String> = [
        "order_id", "amount", "currency", "items", "service", "collection", "shipping_methods", "delivery",
        "credit_fee", "customer", "note", "requested_for", "recurring", "deferred", "automatic_reload", "quote",
    ]

    /// The names under which several merchants in one sheet are asked for, Apple's own among them.
    private static let merchantMembers = ["merchants", "multi_token_contexts", "multiTokenContexts"]

    /// Returns the names of things in a request, with their places. One is never masked, because two customers or
    /// methods could then share it.
    static func identifiers(in body: JSONValue) -> [(place: String, value: JSONValue)] {
        var found: [(place: String, value: JSONValue)] = []
        if let customer = body["customer"] { found.append((place: "customer", value: customer)) }
        for (index, method) in (body["shipping_methods"]?.arrayValue ?? []).enumerated() {
            guard let id = method["id"] else { continue }
            found.append((place: "shipping_methods/\(index)/id", value: id))
        }
        return found + addresses(in: body) + quoteNames(in: body)
    }

    /// The order's number as given; `nil` if the request does not name the order.
    let order: OrderID?
    /// The amount to be paid, which is the total of the basket with its first shipping method.
    private let amount: Money
    private let service: SheetBasket.Service
    private let lines: [SheetItem]
    private let shippingMethods: [SheetShippingMethod]
    private let creditFee: Money?
    private let agreement: BillingAgreement?
    private let delivery: DeliveryRule?
    private let note: String?
    private let requestedFor: String?
    private let quote: QuoteCallback?
    /// The customer signed in at the shop; `nil` for a guest.
    let customer: String?

    /// Reads a request.
    /// - Parameters:
    ///   - currencies: the currencies of the shop's domains, one of which the basket must have.
    ///   - hasPlaces: `true` if the settings have places for a delivery radius without its own.
    ///   - now: the time of the request; nothing can be agreed on for a time before it.
    init(_ body: JSONValue, currencies: [Currency], hasPlaces: Bool = false, now: Timestamp) throws {
        if let name = BasketRequest.merchantMembers.first(where: { body[$0] != nil }) {
            throw Problem.field(
                name,
                "One sheet is for one merchant. Open a basket for each merchant, and let the customer pay each in a "
                    + "sheet of its own. Nothing was opened.")
        }
        try body.allow(BasketRequest.members)
        order = try body.text("order_id", atMost: 128).map { text in
            do throws(IdentifierError) { return try OrderID(selling: text) } catch {
                throw Problem.field("order_id", "\(error)")
            }
        }
        guard let code = try body.text("currency", atMost: 3) else { throw Problem.field("currency", "It is missing.") }
        guard let currency = currencies.first(where: { $0.code == code }) else {
            let known = currencies.map(\.code).joined(separator: ", ")
            throw Problem.field(
                "currency", "Apple Pay is set up for \(known) here. Nothing was opened or charged.",
                code: "currency_mismatch")
        }
        guard let amount = try body.amount("amount", currency) else {
            throw Problem.field("amount", "It is missing.", code: "invalid_amount")
        }
        self.amount = amount
        lines = try BasketRequest.items(in: body, currency)
        service = try BasketRequest.service(in: body)
        shippingMethods = try BasketRequest.shippingMethods(in: body, currency)
        delivery = try BasketRequest.delivery(in: body, hasPlaces: hasPlaces)
        if service != .delivery {
            guard shippingMethods.isEmpty else {
                throw Problem.field("shipping_methods", "They go with the service delivery.")
            }
            guard delivery == nil else { throw Problem.field("delivery", "It goes with the service delivery.") }
        }
        creditFee = try body.amount("credit_fee", currency)
        guard (creditFee?.minorUnits ?? 0) <= BasketRequest.maximumUnits else {
            throw Problem.field("credit_fee", "It has more than twelve digits.", code: "invalid_amount")
        }
        agreement = try BasketRequest.agreement(in: body, currency, now: now)
        customer = try body.text("customer", atMost: BasketRequest.maximumLabelBytes)
        guard customer != "" else {
            throw Problem.field(
                "customer", "It must be text of 1 to \(BasketRequest.maximumLabelBytes) bytes, or null for a guest.")
        }
        note = try body.text("note", atMost: BasketRequest.maximumNoteBytes)
        requestedFor = try BasketRequest.requestedTime(in: body)
        quote = try BasketRequest.quote(in: body)
        if quote != nil { try BasketRequest.checkQuote(with: service, creditFee: creditFee) }
    }

    /// Returns the goods and terms, checked for an order.
    /// - Throws: a problem with the code `amount_mismatch` if the parts do not add up to the amount.
    func basket(_ id: String, of number: OrderID, as order: OrderID) throws -> (SheetBasket, BasketTerms) {
        let basket = sheet(id)
        try checkSum(of: basket)
        var terms = BasketTerms(
            order: order, number: number.rawValue, delivery: delivery, note: note, requestedFor: requestedFor,
            quote: quote)
        // The identifier differs each time, so it is left out of what makes two requests the same.
        let goods = sheet("")
        let content = JSONValue.members(["goods": goods.json, "terms": terms.json, "customer": customer.json])
        terms.fingerprint = digest(content.canonicalBytes())
        _ = try ApplePayCheckout.order(of: basket, on: terms)
        for variant in basket.variants { try check(variant, on: terms) }
        return (quote == nil ? basket : sheet(id, price: .awaited), terms)
    }

    private func sheet(_ id: String, price: SheetBasket.Price = .own) -> SheetBasket {
        SheetBasket(
            id: id, currency: amount.currency, service: service, lines: lines, shippingMethods: shippingMethods,
            creditFee: creditFee, agreement: agreement, price: price)
    }

    /// Refuses a shipping method or fee with which the basket could not be charged once it was chosen in the sheet.
    private func check(_ variant: SheetBasket, on terms: BasketTerms) throws {
        do { _ = try ApplePayCheckout.order(of: variant, on: terms) } catch let error as OrderError {
            let code = if case .totalTooLarge = error { error.code } else { "invalid_amount" }
            let method = variant.shippingMethod
            let index = shippingMethods.firstIndex { $0.identifier == method?.identifier }
            let place = variant.paysByCredit ? "credit_fee" : index.map { "shipping_methods/\($0)/amount" }
            let name = method.map { "With the shipping method \($0.identifier): " } ?? ""
            throw Problem.field(
                place ?? "amount", "\(name)\(error.what) Nothing was opened or charged.", code: code)
        }
    }

    private func checkSum(of basket: SheetBasket) throws {
        let (goods, total) = (try basket.goods(), try basket.total())
        guard !goods.isNegative else {
            throw Problem.field(
                "items", "They come to \(goods), which is below zero. Nothing was opened or charged.",
                code: "invalid_amount")
        }
        guard total == amount else {
            let shipping = basket.shippingMethod.map { " and \($0.amount) for the first shipping method" } ?? ""
            throw Problem.field(
                "amount",
                "It says \(amount), but the items come to \(goods)\(shipping), together \(total). "
                    + "Nothing was opened or charged.",
                code: "amount_mismatch")
        }
    }
}

// MARK: Parts

extension BasketRequest {
    static func items(in body: JSONValue, _ currency: Currency) throws -> [SheetItem] {
        guard let items = body["items"]?.arrayValue, !items.isEmpty, items.count <= maximumItems else {
            throw Problem.field("items", "It must be a list of 1 to \(maximumItems) items.")
        }
        return try items.enumerated().map { index, item in
            let place = "items/\(index)/"
            try checkObject(item, ["label", "amount"], place)
            return SheetItem(
                label: try label("label", of: item, place), amount: try money("amount", of: item, place, currency))
        }
    }

    private static func service(in body: JSONValue) throws -> SheetBasket.Service {
        let word = try body.text("service", atMost: 16) ?? BasketService.none.rawValue
        guard let service = BasketService(rawValue: word) else {
            let known = BasketService.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.field("service", "It must be one of \(known).")
        }
        let shop = body["collection"].flatMap { $0.isNull ? nil : $0 }
        switch service {
        case .collection:
            guard let shop else { throw Problem.field("collection", "The shop's address is missing.") }
            return .collection(try address(shop))
        case .delivery, .none:
            guard shop == nil else { throw Problem.field("collection", "It goes with the service collection.") }
            return service == .delivery ? .delivery : .neither
        }
    }

    private static func address(_ shop: JSONValue) throws -> SheetBasket.ShopAddress {
        let place = "collection/"
        try checkObject(shop, ["name", "address_lines", "city", "postal_code", "country"], place)
        guard let lines = shop["address_lines"]?.arrayValue, (1...4).contains(lines.count) else {
            throw Problem.field(place + "address_lines", "It must be a list of 1 to 4 lines.")
        }
        return SheetBasket.ShopAddress(
            name: try label("name", of: shop, place),
            addressLines: try lines.enumerated().map { index, line in
                try label(line, place + "address_lines/\(index)")
            },
            locality: try label("city", of: shop, place), postalCode: try label("postal_code", of: shop, place),
            countryCode: try country(of: shop, place))
    }

    static func shippingMethods(
        in body: JSONValue, _ currency: Currency, named name: String = "shipping_methods"
    ) throws -> [SheetShippingMethod] {
        guard let value = body[name], !value.isNull else { return [] }
        guard let methods = value.arrayValue, methods.count <= maximumShippingMethods else {
            throw Problem.field(name, "It must be a list of at most \(maximumShippingMethods) methods.")
        }
        var known: Set<String> = []
        return try methods.enumerated().map { index, method in
            let place = "\(name)/\(index)/"
            try checkObject(method, ["id", "label", "detail", "amount"], place)
            let id = try label("id", of: method, place)
            guard id.utf8.count <= 64, known.insert(id).inserted else {
                throw Problem.field(place + "id", "It must have at most 64 bytes and be the only one of that name.")
            }
            let cost = try money("amount", of: method, place, currency)
            guard !cost.isNegative else {
                throw Problem.field(place + "amount", "It must not be below zero.", code: "invalid_amount")
            }
            return SheetShippingMethod(
                identifier: id, label: try label("label", of: method, place),
                detail: DisplayText.clean(try method.text("detail", in: place, atMost: maximumLabelBytes) ?? ""),
                amount: cost)
        }
    }

    private static func delivery(in body: JSONValue, hasPlaces: Bool) throws -> DeliveryRule? {
        guard let value = body["delivery"], !value.isNull else { return nil }
        if let word = value.stringValue {
            guard word == "everywhere" else {
                throw Problem.field(
                    "delivery", "It must be everywhere, or an object with country and areas, or with a radius.")
            }
            return .everywhere
        }
        if let radius = try radius(in: value, hasPlaces: hasPlaces) { return .radius(radius) }
        let place = "delivery/"
        try checkObject(value, ["country", "areas", "parts"], place)
        let areas = try codes(value["areas"], place + "areas")
        var parts: [String: [String]] = [:]
        if let member = value["parts"], !member.isNull {
            guard let members = member.objectValue, members.count <= maximumAreas else {
                throw Problem.field(place + "parts", "It must be an object with at most \(maximumAreas) areas.")
            }
            for part in members {
                guard isCode(part.key) else { throw Problem.field(place + "parts", codeRule) }
                let beginnings = try codes(part.value, place + "parts/" + part.key)
                guard !beginnings.isEmpty else {
                    throw Problem.field(
                        place + "parts/" + part.key, "It lists no postcodes. Leave the area out instead.")
                }
                parts[part.key] = beginnings
            }
        }
        guard !areas.isEmpty || !parts.isEmpty else {
            throw Problem.field("delivery", "It has neither areas nor parts, so nothing could be delivered.")
        }
        return .area(DeliveryArea(country: try country(of: value, place), areas: Set(areas), parts: parts))
    }

    static func requestedTime(in body: JSONValue, _ name: String = "requested_for") throws -> String? {
        guard let text = try body.text(name, atMost: 32) else { return nil }
        guard time(in: text) != nil else { throw Problem.field(name, timeRule) }
        return text
    }

    static let timeRule = "It must be a time with an offset, such as 2026-11-21T18:30:00+01:00."

    /// Returns the moment of a time with an offset; `nil` for any other text.
    static func time(in text: String) -> Timestamp? {
        let form = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})/
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ $0 < 0x80 }), text.wholeMatch(of: form) != nil else {
            return nil
        }
        return Timestamp(iso8601: text)
    }

    // MARK: Values

    static func checkObject(_ value: JSONValue, _ members: Set<String>, _ place: String) throws {
        guard value.objectValue != nil else { throw Problem.field(String(place.dropLast()), "It must be an object.") }
        try value.allow(members, in: place)
    }

    static func label(_ name: String, of value: JSONValue, _ place: String) throws -> String {
        try label(value[name] ?? .null, place + name)
    }

    /// Returns a text to be displayed, without control characters.
    private static func label(_ value: JSONValue, _ place: String) throws -> String {
        let text = value.stringValue.map { DisplayText.clean($0) } ?? ""
        guard !text.isEmpty, (value.stringValue ?? "").utf8.count <= maximumLabelBytes else {
            throw Problem.field(place, "It must be text of 1 to \(maximumLabelBytes) bytes.")
        }
        return text
    }

    /// Returns an amount, which is below zero for a discount.
    static func money(
        _ name: String, of value: JSONValue, _ place: String, _ currency: Currency
    ) throws -> Money {
        guard let units = value[name]?.int64Value, (-maximumUnits...maximumUnits).contains(units) else {
            throw Problem.field(
                place + name, "It must be a whole number of minor units with at most twelve digits.",
                code: "invalid_amount")
        }
        return Money(minorUnits: units, currency: currency)
    }

    private static func country(of value: JSONValue, _ place: String) throws -> String {
        guard let code = value["country"]?.stringValue, code.utf8.count == 2,
            code.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
        else { throw Problem.field(place + "country", "It must be a country's two capital letters.") }
        return code
    }

    private static let codeRule = "A code must have 1 to 10 capital letters and digits."

    private static func isCode(_ text: String) -> Bool {
        (1...10).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    /// Returns codes of areas, or beginnings of the rest of a postcode.
    private static func codes(_ value: JSONValue?, _ place: String) throws -> [String] {
        guard let value, !value.isNull else { return [] }
        guard let list = value.arrayValue, list.count <= maximumAreas else {
            throw Problem.field(place, "It must be a list of at most \(maximumAreas) codes.")
        }
        return try list.map { code in
            guard let text = code.stringValue, isCode(text) else { throw Problem.field(place, codeRule) }
            return text
        }
    }
}
