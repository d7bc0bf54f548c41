/// An e-mail address for a receipt. Checked by shape only: one `@`, ASCII, no spaces, a domain with a dot, at most 254
/// bytes.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Accepts an address, or returns `nil` if it is malformed.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 254, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        guard bytes.allSatisfy({ ![0x22, 0x28, 0x29, 0x2C, 0x3A, 0x3B, 0x3C, 0x3E, 0x5B, 0x5C, 0x5D].contains($0) })
        else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first, let domain = parts.last, (1...64).contains(name.utf8.count)
        else { return nil }
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") && !$0.hasSuffix("-") }),
            !name.hasPrefix("."), !name.hasSuffix("."), !name.contains("..")
        else { return nil }
        self.text = text
    }

    /// Only the domain: an address is personal data.
    public var description: String { "•••@\(text.split(separator: "@").last ?? "")" }
}
