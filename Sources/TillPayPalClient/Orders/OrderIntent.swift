/// The intent of an order. Open: an unknown value keeps its raw text.
public struct OrderIntent: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The raw text, unchanged.
    public let rawValue: String
    /// Wraps the text unchanged.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// Capture at once.
    public static let capture = OrderIntent(rawValue: "CAPTURE")
    /// Hold the money, and capture later by authorization id without the card.
    public static let authorize = OrderIntent(rawValue: "AUTHORIZE")
}
