/// A session that the shop has opened at a provider for one customer and one amount: with it the provider's own
/// components or SDK take a card. It is no secret of the shop's, but for this customer only; it prints, interpolates
/// and mirrors without its data.
public struct CustomerSession: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The maximum length of an identifier, in bytes.
    public static let maximumIDBytes = 64
    /// The maximum length of the data, in bytes.
    public static let maximumDataBytes = 16_384

    /// The provider's identifier.
    public let id: String
    /// What the provider's components or SDK need besides it.
    public let data: String
    /// The time after which nothing can be paid with it.
    public let endsAt: Timestamp

    /// Creates a session; `nil` unless the identifier is of ASCII letters, digits, dashes and underscores, and the data
    /// of printable ASCII without spaces, both of a bounded length.
    public init?(id: String, data: String, endsAt: Timestamp) {
        guard (1...CustomerSession.maximumIDBytes).contains(id.utf8.count),
            (1...CustomerSession.maximumDataBytes).contains(data.utf8.count),
            data.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        for byte in id.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: break
            default: return nil
            }
        }
        self.init(id: id, kept: data, endsAt: endsAt)
    }

    private init(id: String, kept data: String, endsAt: Timestamp) {
        self.id = id
        self.data = data
        self.endsAt = endsAt
    }

    /// The session without its data, as an event repeats it: the journal has them once.
    package var withoutData: CustomerSession { CustomerSession(id: id, kept: "", endsAt: endsAt) }

    /// The identifier without the data.
    public var description: String { "session \(id)" }
    /// The identifier without the data.
    public var debugDescription: String { description }
    /// A mirror without the data, so that `dump` and reflection-based loggers do not see it.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// What a provider's components or SDK hand out at the end of a ``CustomerSession``: with it the provider says once how
/// the session ended. Prints and mirrors as a mask.
public struct SessionResult: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The maximum length, in bytes.
    public static let maximumBytes = 4_096

    private let text: String

    /// Creates a result of printable ASCII without spaces; `nil` for anything else.
    public init?(_ text: String) {
        guard (1...SessionResult.maximumBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Returns the text. Called only by code that sends it to the provider.
    public func reveal() -> String { text }

    /// A constant mask.
    public var description: String { "••••" }
    /// A constant mask.
    public var debugDescription: String { "••••" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
