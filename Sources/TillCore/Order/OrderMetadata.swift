/// The shop's own data about an order, by key. They travel with each of its payments and mean nothing to Till.
public struct OrderMetadata: Hashable, Sendable {
    /// The most keys.
    public static let maximumKeys = 20
    /// The longest key, in bytes.
    public static let maximumKeyBytes = 40
    /// The longest value, in bytes.
    public static let maximumValueBytes = 500

    /// The values by key.
    public let values: [String: String]

    /// No data.
    public static let none = OrderMetadata(unchecked: [:])

    private init(unchecked values: [String: String]) { self.values = values }

    /// Accepts at most ``maximumKeys`` keys of printable ASCII with their values.
    /// - Throws: ``Refusal`` for data beyond the limits.
    public init(_ values: [String: String]) throws(Refusal) {
        guard values.count <= OrderMetadata.maximumKeys else { throw .tooManyKeys }
        for (key, value) in values {
            guard (1...OrderMetadata.maximumKeyBytes).contains(key.utf8.count),
                key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw .key }
            guard value.utf8.count <= OrderMetadata.maximumValueBytes else { throw .value(key) }
        }
        self.values = values
    }

    /// The reason for which metadata are refused.
    public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        case tooManyKeys
        case key
        /// The value of this key is too long.
        case value(String)

        /// A sentence that describes the refusal.
        public var description: String {
            switch self {
            case .tooManyKeys: "It has more than \(OrderMetadata.maximumKeys) keys."
            case .key:
                "Each key must have 1 to \(OrderMetadata.maximumKeyBytes) printable ASCII characters without space."
            case .value(let key):
                "The value of \(key) must be text of at most \(OrderMetadata.maximumValueBytes) bytes."
            }
        }
    }

    /// `true` if there are none.
    public var isEmpty: Bool { values.isEmpty }

    var json: JSONValue {
        .object(values.sorted { $0.key < $1.key }.map { JSONMember(key: $0.key, value: .string($0.value)) })
    }

    /// Reads stored data; what is not text is left out.
    init(json: JSONValue?) {
        var values: [String: String] = [:]
        for member in json?.objectValue ?? [] { values[member.key] = member.value.stringValue }
        self.init(unchecked: values)
    }
}

extension JSONWriter {
    /// Writes metadata as an object with sorted keys.
    package mutating func metadata(_ metadata: OrderMetadata) {
        beginObject()
        for (key, value) in metadata.values.sorted(by: { $0.key < $1.key }) { field(key, value) }
        endObject()
    }
}
