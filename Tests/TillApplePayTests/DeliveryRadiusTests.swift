import Testing
@testable import TillApplePay

private func point(_ latitude: Int64, _ longitude: Int64) throws -> GeoPoint {
    try #require(GeoPoint(latitude: latitude, longitude: longitude))
}

@Suite("Distances on the globe")
struct GeoPointTests {
    @Test("A distance is that of the great circle, also across the date line and over a pole")
    func distances() throws {
        for (from, to, meters) in [
            // A degree of latitude, and one of longitude at the equator.
            ((0, 0), (1_000_000, 0), 111_195), ((0, 0), (0, 1_000_000), 111_195),
            // Berlin and Munich; Sydney and Auckland.
            ((52_520_000, 13_405_000), (48_137_000, 11_575_000), 504_339),
            ((-33_868_800, 151_209_300), (-36_848_500, 174_763_300), 2_155_901),
            // Two hundredths of a degree apart, with the date line between them.
            ((-17_000_000, 179_990_000), (-17_000_000, -179_990_000), 2_127),
            ((0, 180_000_000), (0, -180_000_000), 0),
            // A pole has every longitude, and the way between two meridians leads over it.
            ((90_000_000, 0), (90_000_000, 123_000_000), 0), ((-90_000_000, -1), (-90_000_000, 1), 0),
            ((90_000_000, 0), (89_990_000, -45_000_000), 1_112), ((89_990_000, 0), (89_990_000, 180_000_000), 2_224),
            // The other side of the globe, where the haversine is largest.
            ((0, 0), (0, 180_000_000), 20_015_114), ((90_000_000, 0), (-90_000_000, 5), 20_015_114),
            ((12_345_678, -98_765_432), (-12_345_678, 81_234_568), 20_015_114),
        ] as [((Int64, Int64), (Int64, Int64), Int64)] {
            let (start, end) = (try point(from.0, from.1), try point(to.0, to.1))
            #expect(start.meters(to: end) == meters)
            #expect(end.meters(to: start) == meters)
            #expect(start.meters(to: start) == 0)
        }
    }

    @Test("A point beyond a pole or the date line is none")
    func bounds() throws {
        for (latitude, longitude) in [
            (90_000_001, 0), (-90_000_001, 0), (0, 180_000_001), (0, -180_000_001), (.max, 0), (0, .min),
        ] as [(Int64, Int64)] {
            #expect(GeoPoint(latitude: latitude, longitude: longitude) == nil)
        }
        for (latitude, longitude) in [(90_000_000, 180_000_000), (-90_000_000, -180_000_000)] as [(Int64, Int64)] {
            #expect(GeoPoint(latitude: latitude, longitude: longitude) != nil)
        }
    }
}

@Suite("Delivery by distance")
struct DeliveryRadiusTests {
    /// EC4M is 161 m from the shop, SW1A 3,160 m and EC4M 7RF as far as SW1A.
    private func table(_ codes: [(String, Int64, Int64)] = [("EC4M", 51_513_800, -98_700)]) throws -> PostalPlaces {
        var places = PostalPlaces()
        for (code, latitude, longitude) in codes {
            try places.add(try point(latitude, longitude), for: code, country: "GB")
        }
        return places
    }

    private func radius(_ meters: Int64, _ places: PostalPlaces? = nil) throws -> DeliveryRadius {
        try #require(DeliveryRadius(center: try point(51_514_000, -101_000), meters: meters, places: places))
    }

    @Test("An address at the distance is inside, one a meter further is outside")
    func border() throws {
        let places = try table()
        for (meters, answer) in [(160, .no), (161, .yes), (162, .yes)] as [(Int64, Deliverability)] {
            let radius = try radius(meters, places)
            #expect(radius.delivers(to: "EC4M", country: "GB") == answer, "\(meters)")
            #expect(radius.delivers(to: "ec4m 7rf", country: "gb") == answer, "\(meters)")
        }
    }

    @Test("An address without a place is never inside, however far the shop delivers")
    func unknown() throws {
        let radius = try radius(DeliveryRadius.maximumMeters, table())
        for (code, country) in [("SW1A", "GB"), ("SW1A 1AA", "GB"), ("EC4", "GB"), ("10115", "DE"), ("EC4M", "JE")] {
            let answer = radius.delivers(to: code, country: country)
            #expect(answer == .unknownPlace, "\(code)")
            for isComplete in [true, false] {
                let error = try #require(answer.refusal(of: code, isComplete: isComplete))
                #expect(error.message.hasPrefix("Till knows no place for \(code)."))
                #expect(error.code == .addressUnserviceable && error.field == .postalCode)
            }
        }
        let error = Deliverability.unknownPlace.refusal(of: "sw1a ", isComplete: false)
        #expect(error?.message.hasPrefix("Till knows no place for SW1A.") == true)
        for code in ["", "*", "1AA"] { #expect(radius.delivers(to: code, country: "GB") == .no) }
        #expect(try self.radius(1_000).delivers(to: "EC4M", country: "GB") == .unknownPlace)
    }

    @Test("A complete code has its own place; a truncated one waits where its places do not agree")
    func parts() throws {
        let both = try radius(200, table([("EC4M", 51_513_800, -98_700), ("EC4M 7RF", 51_501_000, -141_600)]))
        #expect(both.delivers(to: "EC4M", country: "GB") == .needsFullAddress)
        #expect(both.delivers(to: "EC4M 7RF", country: "GB") == .no)
        #expect(both.delivers(to: "EC4M 8AA", country: "GB") == .yes)
        let near = try radius(200, table([("EC4M 7RF", 51_513_800, -98_700)]))
        #expect(near.delivers(to: "EC4M", country: "GB") == .needsFullAddress)
        #expect(near.delivers(to: "EC4M 7RF", country: "GB") == .yes)
        #expect(near.delivers(to: "EC4M 8AA", country: "GB") == .unknownPlace)
        let far = try radius(200, table([("EC4M 7RF", 51_501_000, -141_600)]))
        #expect(far.delivers(to: "EC4M", country: "GB") == .no)
        #expect(Deliverability.needsFullAddress.refusal(of: "EC4M", isComplete: false) == nil)
        #expect(Deliverability.needsFullAddress.refusal(of: "EC4M", isComplete: true) != nil)
        #expect(Deliverability.yes.refusal(of: "EC4M", isComplete: true) == nil)
    }

    @Test("The radius's own places decide, otherwise those shared")
    func shared() throws {
        let own = try radius(200, table([("SW1A", 51_501_000, -141_600)]))
        #expect(try own.delivers(to: "EC4M", country: "GB", knowing: table()) == .unknownPlace)
        #expect(try radius(200).delivers(to: "EC4M", country: "GB", knowing: table()) == .yes)
    }

    @Test("A table has each postcode once, and no more places than its limit")
    func tables() throws {
        var places = try table()
        let here = try point(0, 0)
        for (code, country, fault) in [
            ("EC4M", "GB", .repeated), ("ec4m", "gb", .repeated), ("EC4M*", "GB", .invalidPostalCode),
            ("EC4M 7", "GB", .invalidPostalCode), ("10115", "D", .invalidPostalCode), ("94103-1234", "US", .tooFine),
        ] as [(String, String, PostalPlaces.Fault)] {
            #expect(throws: fault) { try places.add(here, for: code, country: country) }
        }
        try places.add(here, for: "EC4M 7RF", country: "GB")
        try places.add(here, for: "94103", country: "US")
        #expect(places.all.map(\.area.description) == ["GB EC4M", "GB EC4M", "US 94103"])
        #expect(places.all.map(\.area.rest) == [nil, "7RF", nil] && places.count == 3)
        let american = try #require(DeliveryRadius(center: here, meters: 1, places: places))
        #expect(american.delivers(to: "94103-1234", country: "US") == .yes)
        for number in places.count..<PostalPlaces.maximumCount {
            try places.add(here, for: "\(10_000 + number)", country: "DE")
        }
        #expect(throws: PostalPlaces.Fault.full) { try places.add(here, for: "99999", country: "DE") }
    }

    @Test("A radius is from one meter to a thousand kilometers")
    func limits() throws {
        let here = try point(0, 0)
        for meters in [0, -1, 1_000_001, .max] as [Int64] {
            #expect(DeliveryRadius(center: here, meters: meters) == nil)
        }
        for meters in [1, 1_000_000] as [Int64] { #expect(DeliveryRadius(center: here, meters: meters) != nil) }
    }
}
