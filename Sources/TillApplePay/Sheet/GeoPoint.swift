#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A point on the globe, in whole millionths of a degree: some eleven centimeters at the equator.
public struct GeoPoint: Hashable, Sendable {
    /// The latitude of the north pole, in millionths of a degree; the south pole's is below zero.
    public static let maximumLatitude: Int64 = 90_000_000
    /// The longitude of the date line, in millionths of a degree, reckoned to the east; to the west it is below zero.
    public static let maximumLongitude: Int64 = 180_000_000
    /// The mean radius of the Earth in meters (IUGG).
    private static let earthRadius = 6_371_008.8

    /// North of the equator, in millionths of a degree; south of it below zero.
    public let latitude: Int64
    /// East of Greenwich, in millionths of a degree; west of it below zero.
    public let longitude: Int64

    /// Creates a point; `nil` if it is beyond a pole or the date line.
    public init?(latitude: Int64, longitude: Int64) {
        guard (-GeoPoint.maximumLatitude...GeoPoint.maximumLatitude).contains(latitude),
            (-GeoPoint.maximumLongitude...GeoPoint.maximumLongitude).contains(longitude)
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Returns the great-circle distance in whole meters, rounded to the nearest.
    ///
    /// The Earth is taken as a sphere, so that a distance may be wrong by half a percent. The haversine is exact for
    /// near points and has no special case at the poles or the date line. It is computed in floating point, unlike
    /// money: the angles are no integers, and the error of the computation is far below the meter that it is rounded
    /// to.
    public func meters(to other: GeoPoint) -> Int64 {
        let north = sin(GeoPoint.radians(other.latitude - latitude) / 2)
        let east = sin(GeoPoint.radians(other.longitude - longitude) / 2)
        let haversine =
            north * north + cos(GeoPoint.radians(latitude)) * cos(GeoPoint.radians(other.latitude)) * east * east
        // Rounding may leave it a little outside of what a sine has.
        let angle = 2 * asin(min(1, max(0, haversine)).squareRoot())
        return Int64((GeoPoint.earthRadius * angle).rounded())
    }

    private static func radians(_ millionths: Int64) -> Double { Double(millionths) / 1_000_000 * Double.pi / 180 }
}
