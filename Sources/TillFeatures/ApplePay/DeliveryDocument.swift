import TillApplePay
import TillCore

/// A fault in a document with a radius or places, in a basket's request or in the settings.
struct DeliveryFault: Error, Hashable, Sendable {
    /// The member at fault, with its place in the document.
    var field: String
    /// The rule that it breaks, as a sentence.
    var rule: String
}

/// Reads radii and places from a document. Unknown members are refused: a misspelled one would count as missing.
enum DeliveryDocument {
    /// Returns a radius: `latitude`, `longitude`, `meters` and optional `places`.
    /// - Parameters:
    ///   - place: the name of the value in its document, with those that it is in.
    ///   - limit: the maximum number of its places.
    static func radius(_ value: JSONValue, at place: String, limit: Int) throws(DeliveryFault) -> DeliveryRadius {
        try check(value, ["latitude", "longitude", "meters", "places"], at: place)
        let center = try point(value, at: place)
        var places: PostalPlaces?
        if let table = value["places"], !table.isNull {
            places = try self.places(table, at: place + "/places", limit: limit)
        }
        guard let meters = value["meters"]?.int64Value,
            let radius = DeliveryRadius(center: center, meters: meters, places: places)
        else {
            throw DeliveryFault(
                field: place + "/meters",
                rule: "It must be a whole number of meters from 1 to \(DeliveryRadius.maximumMeters).")
        }
        return radius
    }

    /// Returns a table of places: `postal_code`, `country`, `latitude` and `longitude` of each.
    static func places(_ value: JSONValue, at place: String, limit: Int) throws(DeliveryFault) -> PostalPlaces {
        guard let list = value.arrayValue, (1...limit).contains(list.count) else {
            throw DeliveryFault(field: place, rule: "It must be a list of 1 to \(limit) places.")
        }
        var places = PostalPlaces()
        for (index, row) in list.enumerated() {
            let name = "\(place)/\(index)"
            try check(row, ["postal_code", "country", "latitude", "longitude"], at: name)
            guard let country = row["country"]?.stringValue, country.utf8.count == 2,
                country.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
            else { throw DeliveryFault(field: name + "/country", rule: "It must be a country's two capital letters.") }
            let point = try point(row, at: name)
            let code = row["postal_code"]?.stringValue ?? ""
            do throws(PostalPlaces.Fault) { try places.add(point, for: code, country: country) } catch {
                throw DeliveryFault(field: name + "/postal_code", rule: rule(error))
            }
        }
        return places
    }

    private static func rule(_ fault: PostalPlaces.Fault) -> String {
        switch fault {
        case .invalidPostalCode: "It must be a postcode of that country, complete or as the wallet truncates it."
        case .tooFine: "It must be the first five digits, because an address may lack the other four."
        case .repeated: "The list has that postcode before."
        case .full: "A list has at most \(PostalPlaces.maximumCount) places."
        }
    }

    private static func point(_ value: JSONValue, at place: String) throws(DeliveryFault) -> GeoPoint {
        let latitude = try degrees("latitude", of: value, at: place, limit: GeoPoint.maximumLatitude)
        let longitude = try degrees("longitude", of: value, at: place, limit: GeoPoint.maximumLongitude)
        guard let point = GeoPoint(latitude: latitude, longitude: longitude) else {
            throw DeliveryFault(field: place, rule: "There is no such place.")
        }
        return point
    }

    private static func degrees(
        _ name: String, of value: JSONValue, at place: String, limit: Int64
    ) throws(DeliveryFault) -> Int64 {
        guard let number = value[name]?.int64Value, (-limit...limit).contains(number) else {
            throw DeliveryFault(
                field: "\(place)/\(name)",
                rule: "It must be a whole number of millionths of a degree from -\(limit) to \(limit).")
        }
        return number
    }

    private static func check(
        _ value: JSONValue, _ names: [String], at place: String
    ) throws(DeliveryFault) {
        guard let members = value.objectValue else { throw DeliveryFault(field: place, rule: "It must be an object.") }
        guard let other = members.first(where: { !names.contains($0.key) }) else { return }
        throw DeliveryFault(field: "\(place)/\(other.key.prefix(64))", rule: "There is no such field.")
    }
}

extension DeliveryRadius {
    /// The form in a basket's terms; ``init(json:)`` parses it.
    var json: JSONValue {
        .members([
            "latitude": .number(String(center.latitude)), "longitude": .number(String(center.longitude)),
            "meters": .number(String(meters)), "places": places.map { .array($0.all.map(\.json)) },
        ])
    }

    /// Parses a stored radius; `nil` if the document has another form.
    init?(json: JSONValue) {
        do throws(DeliveryFault) {
            self = try DeliveryDocument.radius(json, at: "radius", limit: PostalPlaces.maximumCount)
        } catch { return nil }
    }
}

extension PostalPlaces.Place {
    fileprivate var json: JSONValue {
        .members([
            "postal_code": .string(area.code + (area.rest ?? "")), "country": .string(area.country),
            "latitude": .number(String(point.latitude)), "longitude": .number(String(point.longitude)),
        ])
    }
}
