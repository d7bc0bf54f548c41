import TillApplePay
import TillCore
import TillWeb

/// The delivery by distance in a basket's request: `delivery` with `radius`.
extension BasketRequest {
    /// The maximum number of places in a request, which fit its size. The settings have room for more.
    static let maximumPlaces = 500

    /// Returns the radius of a delivery rule; `nil` if the rule has none.
    /// - Parameter hasPlaces: `true` if the settings have places for a radius without its own.
    static func radius(in rule: JSONValue, hasPlaces: Bool) throws -> DeliveryRadius? {
        guard let value = rule["radius"] else { return nil }
        // Beside areas it would not be plain which of the two decides.
        try rule.allow(["radius"], in: "delivery/")
        let radius: DeliveryRadius
        do throws(DeliveryFault) {
            radius = try DeliveryDocument.radius(value, at: "delivery/radius", limit: maximumPlaces)
        } catch { throw Problem.field(error.field, error.rule) }
        guard hasPlaces || radius.places != nil else {
            throw Problem.field(
                "delivery/radius/places",
                "It is missing, and the counter's settings have no places, so nothing could be delivered.")
        }
        return radius
    }
}
