/// What a client wants to get, as its `Accept` header says (RFC 9110, section 12.5.1).
struct Accepted: Sendable {
    /// Entries of the header that are read; more are left out.
    static let maximumEntries = 32

    /// Media ranges with their weight in thousandths.
    private let ranges: [(range: String, weight: Int)]

    /// Reads the header; without one anything is wanted.
    init(_ header: String?) {
        ranges = (header ?? "*/*").lowercased().split(separator: ",").prefix(Accepted.maximumEntries).map { entry in
            let parts = entry.split(separator: ";").map { part in part.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Accepted.thousandths($0.dropFirst(2)) }
            return (parts.first ?? "", weight ?? 1_000)
        }
    }

    /// The offer that the client likes best, the first of equals; `nil` if it takes none.
    func best<Offer>(of offers: [(type: String, offer: Offer)]) -> Offer? {
        var best: (weight: Int, offer: Offer)?
        for (type, offer) in offers {
            let weight = weight(of: type)
            if weight > best?.weight ?? 0 { best = (weight, offer) }
        }
        return best?.offer
    }

    /// The weight of the range that names the type most exactly.
    private func weight(of type: String) -> Int {
        let family = type.prefix { $0 != "/" } + "/*"
        for name in [type[...], family, "*/*"] {
            if let found = ranges.first(where: { $0.range == name }) { return found.weight }
        }
        return 0
    }

    /// `0.25` is 250; what is no weight counts as none.
    private static func thousandths(_ text: Substring) -> Int {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ Int($0) }), (0...1).contains(whole), parts.count <= 2 else { return 0 }
        guard whole == 0, parts.count == 2 else { return whole * 1_000 }
        let digits = parts[1].prefix(3)
        guard let value = Int(digits + String(repeating: "0", count: 3 - digits.count)), value >= 0 else { return 0 }
        return value
    }
}
