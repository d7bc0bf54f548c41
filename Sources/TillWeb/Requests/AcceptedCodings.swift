import Foundation

/// The content codings that a client takes, as its `Accept-Encoding` weighs them (RFC 9110, 12.5.3). Only gzip and the
/// plain form (`identity`) are told apart: an answer has one of those.
struct AcceptedCodings: Equatable, Sendable {
    /// The number of elements of the header that are read.
    static let maximumElements = 32

    /// Weights in thousandths; `nil` for a coding that is not named.
    private var gzip: Int?
    private var identity: Int?
    /// The weight of `*`: of every coding that is not named.
    private var other: Int?

    /// - Parameter header: The value of `Accept-Encoding`; `nil` for a request without one, which gets the plain form.
    init(_ header: String?) {
        for element in (header ?? "").split(separator: ",").prefix(AcceptedCodings.maximumElements) {
            let parts = element.split(separator: ";", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces).lowercased()
            }
            guard let name = parts.first else { continue }
            let weight = AcceptedCodings.weight(parts.dropFirst())
            switch name {
            case "gzip", "x-gzip": gzip = AcceptedCodings.lower(gzip, weight)
            case "identity": identity = AcceptedCodings.lower(identity, weight)
            case "*": other = AcceptedCodings.lower(other, weight)
            default: continue
            }
        }
    }

    /// `true` if gzip is accepted, and not less welcome than the plain form.
    var prefersGzip: Bool {
        let weight = gzip ?? other ?? 0
        return weight > 0 && weight >= identity ?? other ?? 0
    }

    /// Returns the weight of a coding that is named twice: what is refused once is refused.
    private static func lower(_ known: Int?, _ weight: Int) -> Int { min(known ?? weight, weight) }

    /// Returns the weight that an element's parameters give: 1,000 without one, 0 for one that is none.
    private static func weight(_ parameters: ArraySlice<String>) -> Int {
        guard let value = parameters.first(where: { $0.hasPrefix("q=") })?.dropFirst(2) else { return 1_000 }
        // 0 or 1, and at most three decimals.
        let parts = value.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1" else { return 0 }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        let thousandths = Int(String(decimals) + String(repeating: "0", count: 3 - decimals.utf8.count)) ?? 0
        if whole == "1" { return thousandths == 0 ? 1_000 : 0 }
        return thousandths
    }
}

/// The tag of a representation in `ETag` and `If-None-Match` (RFC 9110, 8.8.3 and 13.1.2).
enum EntityTag {
    /// Returns `true` if the client has the representation: its `If-None-Match` names the tag, strong or weak, or is
    /// `*`.
    /// - Parameter tag: A tag in quotes, without a comma.
    static func isKnown(_ tag: String, to header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { element in
            let known = element.trimmingCharacters(in: .whitespaces)
            return known == "*" || known == tag || known == "W/" + tag
        }
    }
}
