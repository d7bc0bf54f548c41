extension OrderID {
    /// The start of a name made up for a plain sale that nobody named. The rest is 24 hexadecimal digits of the
    /// request's digest, or the 26 characters of an identifier that sorts by time.
    package static let generatedPrefix = "sale-"

    /// Returns `true` for a name of that form, also with a run of digits masked as a card number. It says nothing to a
    /// customer and is not printed as a number. A shop's own name, such as `sale-1001`, is not of it.
    package static func isGenerated(_ name: String) -> Bool {
        guard name.hasPrefix(generatedPrefix) else { return false }
        let rest = name.utf8.dropFirst(generatedPrefix.utf8.count)
        switch rest.count {
        case 24: return rest.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == masked }
        case 26: return rest.allSatisfy { crockford.contains($0) || $0 == masked }
        default: return false
        }
    }

    private static let masked = UInt8(ascii: "*")
}
