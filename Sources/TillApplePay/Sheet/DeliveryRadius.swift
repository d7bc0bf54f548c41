/// A merchant's delivery area as a distance from its own place.
public struct DeliveryRadius: Hashable, Sendable {
    /// The greatest radius, in meters.
    public static let maximumMeters: Int64 = 1_000_000

    /// The merchant's own place.
    public let center: GeoPoint
    /// The greatest distance to an address, in whole meters; an address at this distance is inside.
    public let meters: Int64
    /// The table of this radius; `nil` for one that is shared by several.
    public let places: PostalPlaces?

    /// Creates a radius; `nil` unless the distance is from 1 to ``maximumMeters``.
    public init?(center: GeoPoint, meters: Int64, places: PostalPlaces? = nil) {
        guard (1...DeliveryRadius.maximumMeters).contains(meters) else { return nil }
        self.center = center
        self.meters = meters
        self.places = places
    }

    /// Returns `true` for a point inside the radius or at its border.
    public func reaches(_ point: GeoPoint) -> Bool { center.meters(to: point) <= meters }

    /// Returns the deliverability of a postcode, complete or truncated. A complete one has its own place, otherwise
    /// that of the part that the wallet reveals. One without a place is never inside.
    /// - Parameter shared: the table to use if the radius has none of its own.
    public func delivers(
        to postalCode: String, country: String, knowing shared: PostalPlaces = PostalPlaces()
    ) -> Deliverability {
        guard let area = PostalArea(postalCode: postalCode, country: country) else { return .no }
        let (whole, parts) = (places ?? shared).points(in: area)
        if let rest = area.rest {
            guard let point = parts[rest] ?? whole else { return .unknownPlace }
            return reaches(point) ? .yes : .no
        }
        var points = Array(parts.values)
        if let whole { points.append(whole) }
        guard !points.isEmpty else { return .unknownPlace }
        let count = points.count { reaches($0) }
        guard count > 0 else { return .no }
        // A complete code without a place of its own has that of the whole, if there is one.
        return count == points.count && whole != nil ? .yes : .needsFullAddress
    }
}

extension Deliverability {
    /// Returns a postcode as it is shown: the wallet leaves a space at the end of a truncated one.
    private static func name(of postalCode: String) -> String {
        postalCode.uppercased().split(separator: " ").joined(separator: " ")
    }

    /// Returns the error for a customer whose address is refused; `nil` for one that may be delivered to. An address
    /// without a postcode is refused as a whole.
    /// - Parameter isComplete: `true` if the postcode is not truncated by the wallet, so that nothing more is learned.
    package func refusal(of postalCode: String, isComplete: Bool) -> SheetError? {
        switch self {
        case .yes: nil
        case .needsFullAddress where !isComplete: nil
        case .no where postalCode.isEmpty:
            SheetError(.addressUnserviceable, .postalAddress, "We do not deliver to this address.")
        case .no, .needsFullAddress:
            SheetError(.addressUnserviceable, .postalCode, "We do not deliver to this postcode.")
        case .unknownPlace:
            SheetError(
                .addressUnserviceable, .postalCode,
                "Till knows no place for \(Deliverability.name(of: postalCode)). Please choose another address.")
        }
    }
}
