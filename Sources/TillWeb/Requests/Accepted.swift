/// The media types that a client accepts, from its `Accept` header (RFC 9110, section 12.5.1).
package struct Accepted: Sendable {
    /// The maximum number of header entries read; more are ignored.
    static let maximumEntries = 32

    /// The media ranges with their weight in thousandths.
    private let ranges: [(range: String, weight: Int)]

    /// Parses the header; without one any type is accepted.
    package init(_ header: String?) {
        ranges = (header ?? "*/*").lowercased().split(separator: ",").prefix(Accepted.maximumEntries).map { entry in
            let parts = entry.split(separator: ";").map { part in part.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Accepted.thousandths($0.dropFirst(2)) }
            return (parts.first ?? "", weight ?? 1_000)
        }
    }

    /// Returns the client's preferred offer, the first among equals; `nil` if it accepts none.
    package func best<Offer>(of offers: [(type: String, offer: Offer)]) -> Offer? {
        var best: (weight: Int, offer: Offer)?
        for (type, offer) in offers {
            let weight = weight(of: type)
            if weight > best?.weight ?? 0 { best = (weight, offer) }
        }
        return best?.offer
    }

    /// Returns the weight of the most specific range that matches the type.
    private func weight(of type: String) -> Int {
        let family = type.prefix { $0 != "/" } + "/*"
        for name in [type[...], family, "*/*"] {
            if let found = ranges.first(where: { $0.range == name }) { return found.weight }
        }
        return 0
    }

    /// Parses a weight: `0.25` is 250; an invalid weight counts as zero.
    private static func thousandths(_ text: Substring) -> Int {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ Int($0) }), (0...1).contains(whole), parts.count <= 2 else { return 0 }
        guard whole == 0, parts.count == 2 else { return whole * 1_000 }
        let digits = parts[1].prefix(3)
        guard let value = Int(digits + String(repeating: "0", count: 3 - digits.count)), value >= 0 else { return 0 }
        return value
    }
}
