extension JSONValue {
    /// Returns the canonical form shared by all equivalent documents: members sorted by the UTF-8 of their keys, no
    /// spaces, the shortest escapes. Numbers keep their digits, so `1.0` and `1` differ. Request fingerprints are
    /// computed from it.
    public func canonicalBytes() -> [UInt8] {
        var writer = JSONWriter()
        writer.canonical(self)
        return writer.bytes
    }

    /// Returns the differences between two documents as sorted JSON pointers (RFC 6901), at most 20; empty if there are
    /// none. The order of members does not matter. A value present in only one of them is reported as a whole.
    public static func differences(_ a: JSONValue, _ b: JSONValue) -> [String] {
        var places: [String] = []
        collect(a, b, at: "", into: &places)
        return places.sorted().prefix(20).map { $0 }
    }

    private static func collect(_ a: JSONValue, _ b: JSONValue, at place: String, into places: inout [String]) {
        switch (a, b) {
        case (.object(let left), .object(let right)):
            let rights = Dictionary(right.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            let lefts = Set(left.map(\.key))
            for member in left {
                collect(member.value, rights[member.key], at: "\(place)/\(pointer(member.key))", into: &places)
            }
            for member in right where !lefts.contains(member.key) {
                places.append("\(place)/\(pointer(member.key))")
            }
        case (.array(let left), .array(let right)):
            for index in 0..<max(left.count, right.count) {
                let element = index < left.count ? left[index] : nil
                let other = index < right.count ? right[index] : nil
                if let element {
                    collect(element, other, at: "\(place)/\(index)", into: &places)
                } else {
                    places.append("\(place)/\(index)")
                }
            }
        case (.string(let left), .string(let right)):
            // By bytes: Swift takes two spellings of one accented letter as equal, a fingerprint does not.
            if !left.utf8.elementsEqual(right.utf8) { places.append(place) }
        default:
            if a != b { places.append(place) }
        }
    }

    private static func collect(_ a: JSONValue, _ b: JSONValue?, at place: String, into places: inout [String]) {
        if let b { collect(a, b, at: place, into: &places) } else { places.append(place) }
    }

    private static func pointer(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return key }
        var escaped = ""
        for scalar in key.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension JSONWriter {
    /// Writes a value in its canonical form, sorting the members of each object as it comes to them.
    fileprivate mutating func canonical(_ value: JSONValue) {
        switch value {
        case .null, .bool, .number, .string: self.value(value)
        case .array(let values):
            beginArray()
            for element in values { canonical(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                key(member.key)
                canonical(member.value)
            }
            endObject()
        }
    }
}
