/// What is to happen with the money. Open: a new word keeps its raw value.
public struct OrderIntent: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// Take it at once.
    public static let capture = OrderIntent(rawValue: "CAPTURE")
    /// Hold it, and capture later by the authorization's identifier; the card is not needed again.
    public static let authorize = OrderIntent(rawValue: "AUTHORIZE")
}
