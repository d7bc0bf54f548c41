/// A shop's table of postcodes and their places. The wallet reveals no coordinates, so that a distance is known only to
/// an address whose postcode is in the table.
public struct PostalPlaces: Hashable, Sendable {
    /// The maximum number of places in a table.
    public static let maximumCount = 10_000

    /// A row of the table.
    public struct Place: Hashable, Sendable {
        /// The postcode, normalized.
        public let area: PostalArea
        /// Its place.
        public let point: GeoPoint
    }

    /// The reason that a place was not added.
    public enum Fault: Error, Hashable, Sendable {
        /// It is no postcode of that country.
        case invalidPostalCode
        /// The last four digits of a US code, of which the table has the first five: an address may lack them.
        case tooFine
        /// The table has a place for that postcode.
        case repeated
        /// The table is full.
        case full
    }

    private struct Key: Hashable {
        var country: String
        var code: String

        init(_ area: PostalArea) { (country, code) = (area.country, area.code) }
    }

    /// The places of each code, by the rest of it; empty for the whole code.
    private var known: [Key: [String: Place]] = [:]
    /// The number of places.
    public private(set) var count = 0

    /// Creates an empty table.
    public init() {}

    /// `true` for a table without places.
    public var isEmpty: Bool { count == 0 }

    /// The rows, in the order of country, code and the rest of it.
    public var all: [Place] {
        let places = known.values.flatMap { Array($0.values) }
        return places.sorted { left, right in
            (left.area.country, left.area.code, left.area.rest ?? "")
                < (right.area.country, right.area.code, right.area.rest ?? "")
        }
    }

    /// Adds the place of a postcode: of a complete one, or of the part that the wallet reveals, such as `EC4M`.
    /// - Throws: ``Fault``; the table is unchanged.
    public mutating func add(_ point: GeoPoint, for postalCode: String, country: String) throws(Fault) {
        guard let area = PostalArea(postalCode: postalCode, country: country) else { throw .invalidPostalCode }
        // A code that is cut within its second part is no area of its own: the row would speak for all of `EC4M`.
        let given = postalCode.count { $0.isLetter || $0.isNumber }
        guard given == area.code.count + (area.rest?.count ?? 0) else { throw .invalidPostalCode }
        guard area.country != "US" || area.rest == nil else { throw .tooFine }
        guard count < PostalPlaces.maximumCount else { throw .full }
        guard known[Key(area)]?[area.rest ?? ""] == nil else { throw .repeated }
        known[Key(area), default: [:]][area.rest ?? ""] = Place(area: area, point: point)
        count += 1
    }

    /// Returns the place of a code as a whole, and those of complete codes within it, by the rest of the code.
    func points(in area: PostalArea) -> (whole: GeoPoint?, parts: [String: GeoPoint]) {
        var parts = (known[Key(area)] ?? [:]).mapValues(\.point)
        let whole = parts.removeValue(forKey: "")
        return (whole, parts)
    }
}
