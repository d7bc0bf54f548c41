/// The tags of values and groups that are interpreted here. RFC 8010. Others keep their number and their bytes.
public enum IPPTag {
    /// Begins the attributes of the operation.
    public static let operationGroup: UInt8 = 0x01
    /// Begins the attributes of a job.
    public static let jobGroup: UInt8 = 0x02
    /// `end-of-attributes-tag`; the document follows.
    public static let end: UInt8 = 0x03
    /// Begins the attributes of the printer.
    public static let printerGroup: UInt8 = 0x04
    /// A 32-bit integer.
    public static let integer: UInt8 = 0x21
    /// A Boolean, in one byte.
    public static let boolean: UInt8 = 0x22
    /// A number that encodes a keyword.
    public static let enumeration: UInt8 = 0x23
    /// Resolution across and down, and its unit.
    public static let resolution: UInt8 = 0x32
    /// A lower and an upper bound.
    public static let range: UInt8 = 0x33
    /// Begins a collection of attributes.
    public static let beginCollection: UInt8 = 0x34
    /// Ends a collection.
    public static let endCollection: UInt8 = 0x37
    /// Text in the language of the message.
    public static let text: UInt8 = 0x41
    /// A name in the language of the message.
    public static let name: UInt8 = 0x42
    /// A word that the standard or a vendor defines.
    public static let keyword: UInt8 = 0x44
    public static let uri: UInt8 = 0x45
    /// `charset`, always `utf-8` here.
    public static let charset: UInt8 = 0x47
    /// A natural language, as `en`.
    public static let language: UInt8 = 0x48
    /// A media type, as `application/pdf`.
    public static let mimeType: UInt8 = 0x49
    /// The name of an attribute within a collection.
    public static let memberName: UInt8 = 0x4A
}

/// One value of an attribute, with its tag. Values are written back exactly as read, byte for byte.
public struct IPPValue: Hashable, Sendable {
    /// A value by the syntax of its tag.
    public enum Content: Hashable, Sendable {
        /// `integer` and `enum`, 32 bits with a sign.
        case number(Int32)
        /// `rangeOfInteger`: the lower bound, then the upper.
        case range(Int32, Int32)
        /// `resolution`: across, down, unit (3: an inch).
        case resolution(Int32, Int32, UInt8)
        /// `begCollection`: its members in their order.
        case collection([IPPAttribute])
        /// Everything else: text, keywords, addresses, dates, booleans, out-of-band values.
        case bytes([UInt8])
    }

    /// The tag on the wire.
    public var tag: UInt8
    /// Number, range, resolution, collection or bytes.
    public var content: Content

    /// Creates a value of any kind.
    public init(tag: UInt8, _ content: Content) {
        self.tag = tag
        self.content = content
    }

    /// Creates a text value of a kind.
    public static func text(_ text: String, tag: UInt8) -> IPPValue {
        IPPValue(tag: tag, .bytes(Array(text.utf8.prefix(IPPMessage.longestText))))
    }
    /// Creates a `keyword`, such as `utf-8` or `one-sided`.
    public static func keyword(_ text: String) -> IPPValue { .text(text, tag: IPPTag.keyword) }
    /// Creates an `integer`; clamped to 32 bits.
    public static func integer(_ value: Int) -> IPPValue {
        IPPValue(tag: IPPTag.integer, .number(Int32(clamping: value)))
    }
    /// Creates an `enum`: a number that encodes a keyword.
    public static func enumeration(_ value: Int) -> IPPValue {
        IPPValue(tag: IPPTag.enumeration, .number(Int32(clamping: value)))
    }
    /// Creates a `boolean`, one byte.
    public static func boolean(_ value: Bool) -> IPPValue { IPPValue(tag: IPPTag.boolean, .bytes([value ? 1 : 0])) }
    /// Creates a `collection` of member attributes.
    public static func collection(_ members: [IPPAttribute]) -> IPPValue {
        IPPValue(tag: IPPTag.beginCollection, .collection(members))
    }

    /// The value as text; invalid UTF-8 is shown as such. `nil` for numbers and collections.
    public var string: String? {
        if case .bytes(let bytes) = content { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
    /// The number of an `integer` or `enum`; `nil` for another syntax.
    public var int: Int? { if case .number(let value) = content { Int(value) } else { nil } }
    /// The members of a `collection`; `nil` for another syntax.
    public var members: [IPPAttribute]? { if case .collection(let members) = content { members } else { nil } }
    /// The value of a `boolean`; `nil` for another syntax.
    public var bool: Bool? {
        if tag == IPPTag.boolean, case .bytes(let bytes) = content, let first = bytes.first { first != 0 } else { nil }
    }
}

/// One attribute: a name and one or more values.
public struct IPPAttribute: Hashable, Sendable {
    /// The name on the wire.
    public var nameBytes: [UInt8]
    /// One or more (`1setOf`), in their order.
    public var values: [IPPValue]

    /// The attribute's name, such as `printer-state`.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }

    /// Creates an attribute of one or more values.
    public init(_ name: String, _ values: IPPValue...) { self.init(name, values) }

    /// - Parameter name: truncated to ``IPPMessage/longestText`` bytes.
    public init(_ name: String, _ values: [IPPValue]) {
        nameBytes = Array(name.utf8.prefix(IPPMessage.longestText))
        self.values = values
    }

    init(nameBytes: [UInt8], values: [IPPValue]) {
        self.nameBytes = nameBytes
        self.values = values
    }
}

extension [IPPAttribute] {
    /// Returns the first attribute of a name; later ones of the same name are ignored.
    public subscript(name: String) -> IPPAttribute? {
        let bytes = Array<UInt8>(name.utf8)
        return first { $0.nameBytes == bytes }
    }

    /// Returns all texts of an attribute.
    public func strings(_ name: String) -> [String] { self[name]?.values.compactMap(\.string) ?? [] }
    /// Returns the first number of an attribute.
    public func int(_ name: String) -> Int? { self[name]?.values.first?.int }
}
