/// The part of a postcode that the wallet reveals before authorization: a typed value, never padded and never matched
/// by prefix, so that `BN1` does not match `BN15`.
public struct PostalArea: Hashable, Sendable, CustomStringConvertible {
    /// Two capital letters (ISO 3166).
    public let country: String
    /// GB: the outward code, 2 to 4 characters. CA: the forward sortation area, 3. Elsewhere: the whole code.
    public let code: String
    /// The rest of the code, if known: GB's inward code, CA's local delivery unit.
    public let rest: String?

    /// Country and code, such as `GB SW1A`.
    public var description: String { "\(country) \(code)" }

    /// Parses a postcode, complete or truncated by the wallet; `nil` if it is not valid in that country.
    public init?(postalCode: String, country: String) {
        let country = country.uppercased()
        guard country.utf8.count == 2, country.utf8.allSatisfy({ (0x41...0x5A).contains($0) }),
            postalCode.utf8.count <= 16
        else { return nil }
        let parts = postalCode.uppercased().split { $0 == " " || $0 == "-" }.map(String.init)
        let text = parts.joined()
        guard !text.isEmpty,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
        else { return nil }
        self.country = country
        switch country {
        case "GB", "GG", "JE", "IM":
            // An inward code is a digit and two letters; a full code has 5 to 7 characters.
            let inward = String(text.suffix(3))
            if parts.count == 2, PostalArea.shape(parts[1]) == "9", PostalArea.isOutward(parts[0]) {
                // Cut within the inward code: `M1 1` is of M1, not M11.
                code = parts[0]
                rest = nil
            } else if text.utf8.count >= 5, PostalArea.shape(inward) == "9AA" {
                guard PostalArea.isOutward(String(text.dropLast(3))) else { return nil }
                code = String(text.dropLast(3))
                rest = inward
            } else {
                guard PostalArea.isOutward(text) else { return nil }
                code = text
                rest = nil
            }
        case "CA":
            guard PostalArea.shape(String(text.prefix(3))) == "A9A", [3, 6].contains(text.utf8.count),
                text.utf8.count == 3 || PostalArea.shape(String(text.suffix(3))) == "9A9"
            else { return nil }
            code = String(text.prefix(3))
            rest = text.utf8.count == 6 ? String(text.suffix(3)) : nil
        case "US":
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), [5, 9].contains(text.utf8.count) else {
                return nil
            }
            code = String(text.prefix(5))
            rest = text.utf8.count == 9 ? String(text.suffix(4)) : nil
        default:
            guard text.utf8.count >= 2 else { return nil }
            code = text
            rest = nil
        }
    }

    private static func isOutward(_ text: String) -> Bool {
        ["A9", "A99", "A9A", "AA9", "AA99", "AA9A"].contains(shape(text))
    }

    /// Returns the shape of a text: letters as `A`, digits as `9`.
    private static func shape(_ text: String) -> String {
        String(text.map { $0.isNumber ? "9" : "A" })
    }
}

/// The deliverability of a postcode.
public enum Deliverability: String, Hashable, Sendable {
    /// The merchant delivers there.
    case yes
    /// The merchant does not deliver there.
    case no
    /// The merchant delivers to parts of the area: the complete postcode decides, after authorization.
    case needsFullAddress = "needs-full-address"
    /// The merchant delivers by distance, and its table has no place for the postcode: it does not deliver there.
    case unknownPlace = "unknown-place"
}

/// A merchant's delivery area.
public struct DeliveryArea: Hashable, Sendable {
    /// Areas covered completely.
    public var areas: Set<String>
    /// Areas covered in part: the area, and accepted prefixes of the rest of the code.
    public var parts: [String: [String]]
    /// ISO 3166-1 alpha-2, in capitals.
    public var country: String

    /// Creates a delivery area from outward codes and, for areas covered in part, their sectors.
    /// - Parameter parts: `["EC4M": ["7"]]` delivers to the sector EC4M 7 and to no other of EC4M.
    public init(country: String, areas: Set<String>, parts: [String: [String]] = [:]) {
        self.country = country
        self.areas = areas
        self.parts = parts
    }

    /// Returns the deliverability of a postcode, complete or truncated.
    public func delivers(to postalCode: String, country: String) -> Deliverability {
        guard country.uppercased() == self.country,
            let area = PostalArea(postalCode: postalCode, country: country)
        else { return .no }
        if areas.contains(area.code) { return .yes }
        guard let beginnings = parts[area.code] else { return .no }
        guard let rest = area.rest else { return .needsFullAddress }
        return beginnings.contains { rest.hasPrefix($0) } ? .yes : .no
    }
}
