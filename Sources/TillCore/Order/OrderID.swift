/// The identifier of an order, as the shop gave it.
public struct OrderID: RawRepresentable, Hashable, Sendable {
    /// The text of the identifier.
    public let rawValue: String
    /// An identifier that is known to be well formed.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Checks an identifier from outside: 1 to 64 printable ASCII characters without spaces.
    public init(validating text: String) throws(IdentifierError) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw IdentifierError()
        }
        rawValue = text
    }
}

/// The identifier is not well formed.
public struct IdentifierError: Error {}
