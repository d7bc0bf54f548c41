/// A data object with its value, or with the objects in it.
///
/// ```swift
/// let objects = try DataObject.parse(Hex.bytes("6F 09 84 07 A0 00 00 00 03 10 10"))
/// let name = objects.first(0x84)?.value  // A0000000031010, the application's identifier
/// for line in objects.explained() {
///     print(line.tag, line.name ?? "unknown", line.value ?? "")
/// }
/// ```
public struct DataObject: Hashable, Sendable {
    /// Maximum nesting depth of templates.
    public static let deepestNesting = 16
    /// Maximum number of data objects in one message.
    public static let mostObjects = 4096

    /// The content of an object.
    public enum Content: Hashable, Sendable {
        /// Bytes without further objects.
        case primitive([UInt8])
        /// Further objects, in order; the same tag may occur twice.
        case constructed([DataObject])
    }

    public let tag: Tag
    /// The value, or the nested objects.
    public let content: Content

    /// Creates an object with a value. A constructed tag may have one too: it is written unchanged.
    public init(_ tag: Tag, _ value: [UInt8]) {
        self.tag = tag
        content = .primitive(value)
    }

    /// Creates a template of these objects in this order.
    public init(_ tag: Tag, _ objects: [DataObject]) {
        self.tag = tag
        content = .constructed(objects)
    }

    /// Parses the objects in the bytes, at every nesting level.
    public static func parse(_ bytes: [UInt8]) throws(TLVError) -> [DataObject] {
        var left = mostObjects
        return try parse(TagValueReader(bytes), depth: 0, left: &left)
    }

    /// Parses the objects in the bytes; `nil` for anything that ``parse(_:)`` rejects, if the position is irrelevant.
    public static func parse(ifValid bytes: [UInt8]) -> [DataObject]? {
        do throws(TLVError) { return try parse(bytes) } catch { return nil }
    }

    private static func parse(
        _ walk: TagValueReader, depth: Int, left: inout Int
    ) throws(TLVError) -> [DataObject] {
        var walk = walk
        var objects: [DataObject] = []
        // Walking twice costs less than a list that grows.
        var ahead = walk
        var count = 0
        while count < 64, (try? ahead.next()) != nil { count += 1 }
        objects.reserveCapacity(count)
        while let element = try walk.next() {
            guard left > 0 else { throw .tooMany }
            left -= 1
            if element.tag.isConstructed {
                guard depth < deepestNesting else { throw .tooDeep(at: element.value.lowerBound) }
                let inner = TagValueReader(walk.bytes, in: element.value, skipsPadding: true)
                objects.append(DataObject(element.tag, try parse(inner, depth: depth + 1, left: &left)))
            } else {
                objects.append(DataObject(element.tag, Array(walk.bytes[element.value])))
            }
        }
        return objects
    }

    /// The value bytes; for a template the encoded objects.
    public var value: [UInt8] {
        switch content {
        case .primitive(let bytes): bytes
        case .constructed(let objects): objects.flatMap(\.encoded)
        }
    }

    /// The objects in a template; empty for a value.
    public var children: [DataObject] {
        if case .constructed(let objects) = content { objects } else { [] }
    }

    /// Tag, shortest length and value.
    public var encoded: [UInt8] {
        let value = value
        return tag.bytes + DataObject.length(value.count) + value
    }

    private static func length(_ count: Int) -> [UInt8] {
        switch count {
        case ..<0x80: return [UInt8(truncatingIfNeeded: count)]
        case ..<0x100: return [0x81, UInt8(truncatingIfNeeded: count)]
        case ..<0x1_0000:
            return [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        default:
            return [0x84] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        }
    }
}

extension [DataObject] {
    /// Returns the first object with this tag, at any depth, in message order.
    public func first(_ tag: Tag) -> DataObject? {
        for object in self {
            if object.tag == tag { return object }
            if let found = object.children.first(tag) { return found }
        }
        return nil
    }

    /// Returns every object with this tag, at any depth.
    public func all(_ tag: Tag) -> [DataObject] {
        flatMap { ($0.tag == tag ? [$0] : []) + $0.children.all(tag) }
    }
}
