import TillApplePay
import TillCore

/// The addresses to which a basket is delivered.
enum DeliveryRule: Hashable, Sendable {
    case everywhere
    case area(DeliveryArea)
    case radius(DeliveryRadius)

    /// Returns the deliverability of a postcode, complete or truncated.
    /// - Parameter shared: the settings' places, for a radius without its own.
    func delivers(to postalCode: String, country: String, knowing shared: PostalPlaces) -> Deliverability {
        switch self {
        case .everywhere: .yes
        case .area(let area): area.delivers(to: postalCode, country: country)
        case .radius(let radius): radius.delivers(to: postalCode, country: country, knowing: shared)
        }
    }
}

/// The terms of a basket that the shop's server opened, beside its goods.
package struct BasketTerms: Hashable, Sendable {
    /// The order in the shop's scope.
    var order: OrderID
    /// The order's number as given by the shop.
    var number: String
    /// The delivery rule of this basket; `nil` for the shop's settings.
    var delivery: DeliveryRule?
    /// The note to the order.
    var note: String?
    /// The time requested by the customer, ISO 8601 with an offset, as given.
    var requestedFor: String?
    /// The customer's own note, given in an app's checkout.
    var customerNote: String?
    /// The time that the customer asked for there, ISO 8601 with an offset, as given.
    var customerTime: String?
    /// The hash of the goods and terms, by which a repeated request is recognized.
    var fingerprint: [UInt8] = []
    /// The address at which the shop tells the price; `nil` for a basket with prices of its own.
    var quote: QuoteCallback?
}

extension BasketTerms {
    /// The stored form; ``init(json:)`` parses it.
    var json: JSONValue {
        .members([
            "order": .string(order.rawValue), "number": .string(number), "delivery": delivery?.json, "note": note.json,
            "requestedFor": requestedFor.json, "customerNote": customerNote.json, "customerTime": customerTime.json,
            "fingerprint": .string(Hex.lowercase(fingerprint)), "quote": quote?.json,
        ])
    }

    /// Parses stored terms; `nil` if the document has another form.
    init?(json: JSONValue) {
        guard let order = json["order"]?.stringValue, let number = json["number"]?.stringValue,
            let fingerprint = json["fingerprint"]?.stringValue.flatMap({ Hex.decode($0) })
        else { return nil }
        var delivery: DeliveryRule?
        if let kept = json["delivery"] {
            guard let rule = DeliveryRule(json: kept) else { return nil }
            delivery = rule
        }
        var quote: QuoteCallback?
        if let kept = json["quote"] {
            guard let callback = QuoteCallback(json: kept) else { return nil }
            quote = callback
        }
        self.init(
            order: OrderID(rawValue: order), number: number, delivery: delivery, note: json["note"]?.stringValue,
            requestedFor: json["requestedFor"]?.stringValue, customerNote: json["customerNote"]?.stringValue,
            customerTime: json["customerTime"]?.stringValue, fingerprint: fingerprint, quote: quote)
    }
}

extension DeliveryRule {
    /// The stored form: `true` for everywhere, the area, or the radius.
    fileprivate var json: JSONValue {
        switch self {
        case .everywhere: .bool(true)
        case .radius(let radius): .members(["radius": radius.json])
        case .area(let area):
            .members([
                "country": .string(area.country), "areas": .array(area.areas.sorted().map { .string($0) }),
                "parts": .object(
                    area.parts.sorted { $0.key < $1.key }.map { part in
                        JSONMember(key: part.key, value: .array(part.value.map { .string($0) }))
                    }),
            ])
        }
    }

    fileprivate init?(json: JSONValue) {
        if json.boolValue == true {
            self = .everywhere
            return
        }
        if let kept = json["radius"] {
            guard let radius = DeliveryRadius(json: kept) else { return nil }
            self = .radius(radius)
            return
        }
        guard let country = json["country"]?.stringValue, let areas = json["areas"]?.arrayValue,
            let parts = json["parts"]?.objectValue
        else { return nil }
        self = .area(
            DeliveryArea(
                country: country, areas: Set(areas.compactMap(\.stringValue)),
                parts: parts.reduce(into: [:]) { all, part in
                    all[part.key] = part.value.arrayValue?.compactMap(\.stringValue)
                }))
    }
}
