/// A data object with its value, or with the objects in it.
public struct DataObject: Hashable, Sendable {
    /// The deepest nesting of templates that is read.
    public static let deepestNesting = 16
    /// The most data objects that are read from one message.
    public static let mostObjects = 4096

    /// What an object holds.
    public enum Content: Hashable, Sendable {
        /// Bytes that hold no further objects.
        case primitive([UInt8])
        /// Further objects, in their order; the same tag may come twice.
        case constructed([DataObject])
    }

    public let tag: Tag
    /// Its value, or the objects within it.
    public let content: Content

    /// An object with a value. A constructed tag may be given one too: it is written as it is.
    public init(_ tag: Tag, _ value: [UInt8]) {
        self.tag = tag
        content = .primitive(value)
    }

    /// A template that holds these objects in this order.
    public init(_ tag: Tag, _ objects: [DataObject]) {
        self.tag = tag
        content = .constructed(objects)
    }

    /// The objects in the bytes, read to the bottom.
    public static func parse(_ bytes: [UInt8]) throws(TLVError) -> [DataObject] {
        var left = mostObjects
        return try parse(TagValueReader(bytes), depth: 0, left: &left)
    }

    /// The objects in the bytes; `nil` for whatever ``parse(_:)`` refuses, where the place does not matter.
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

    /// The value's bytes; for a template the bytes of what it holds.
    public var value: [UInt8] {
        switch content {
        case .primitive(let bytes): bytes
        case .constructed(let objects): objects.flatMap(\.encoded)
        }
    }

    /// The objects in a template; none in a value.
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
    /// The first object with this tag, at any depth, in the order of the message.
    public func first(_ tag: Tag) -> DataObject? {
        for object in self {
            if object.tag == tag { return object }
            if let found = object.children.first(tag) { return found }
        }
        return nil
    }

    /// Every object with this tag, at any depth.
    public func all(_ tag: Tag) -> [DataObject] {
        flatMap { ($0.tag == tag ? [$0] : []) + $0.children.all(tag) }
    }
}
