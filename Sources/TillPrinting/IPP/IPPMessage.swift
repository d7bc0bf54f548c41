/// An IPP request or answer, without the HTTP around it. RFC 8010.
public struct IPPMessage: Hashable, Sendable {
    /// The maximum length of a message, in bytes.
    public static let maximumBytes = 1 << 20
    /// The maximum nesting depth of collections; deeper messages are refused.
    public static let maximumDepth = 16
    /// The maximum number of attributes and values in a message, together.
    public static let maximumValues = 16_384
    /// The maximum length of a text that is written, in bytes.
    static let longestText = 1_023

    /// Attributes under one group tag.
    public struct Group: Hashable, Sendable {
        /// One of ``IPPTag``'s delimiters: operation, job or printer.
        public var tag: UInt8
        /// Its attributes, in their order.
        public var attributes: [IPPAttribute]

        /// - Parameter attributes: kept in their order; the first of a name counts.
        public init(tag: UInt8, _ attributes: [IPPAttribute] = []) {
            self.tag = tag
            self.attributes = attributes
        }
    }

    /// The version: high byte major, low byte minor.
    public var version: UInt16
    /// The operation of a request, the status of an answer.
    public var code: UInt16
    /// Chosen by the requester, repeated in the answer.
    public var requestID: UInt32
    /// The groups, in their order.
    public var groups: [Group]
    /// The data after the attributes: a document.
    public var data: [UInt8]

    /// - Parameters:
    ///   - code: an operation's number in a request, a status in an answer.
    ///   - data: the document, after the attributes.
    public init(version: UInt16 = 0x0200, code: UInt16, requestID: UInt32, groups: [Group], data: [UInt8] = []) {
        self.version = version
        self.code = code
        self.requestID = requestID
        self.groups = groups
        self.data = data
    }

    /// Returns the attributes of the first group with a tag.
    public func attributes(_ group: UInt8) -> [IPPAttribute] { groups.first { $0.tag == group }?.attributes ?? [] }

    // MARK: Writing

    /// The message in wire format.
    public var bytes: [UInt8] {
        var writer = IPPWriter()
        writer.put(version)
        writer.put(code)
        writer.put(requestID)
        for group in groups {
            writer.bytes.append(group.tag)
            for attribute in group.attributes { writer.put(attribute) }
        }
        writer.bytes.append(IPPTag.end)
        writer.bytes += data
        return writer.bytes
    }

    // MARK: Reading

    /// Parses a message. No input can trap, recurse without end or make it allocate more than a few times its length.
    /// - Throws: ``IPPError/malformed(_:)``
    public init(parsing bytes: [UInt8]) throws(IPPError) {
        guard bytes.count <= IPPMessage.maximumBytes else { throw .malformed("it is longer than 1 MiB") }
        var reader = IPPReader(bytes: bytes)
        version = UInt16(truncatingIfNeeded: try reader.number(2))
        code = UInt16(truncatingIfNeeded: try reader.number(2))
        requestID = UInt32(truncatingIfNeeded: try reader.number(4))
        groups = []
        while true {
            let tag = try reader.byte()
            if tag == IPPTag.end { break }
            guard tag < 0x10 else {
                guard !groups.isEmpty else { throw .malformed("an attribute stands outside of a group") }
                let attribute = try reader.attribute(tag)
                if let attribute {
                    groups[groups.count - 1].attributes.append(attribute)
                } else {
                    let value = try reader.value(tag, depth: 0)
                    guard let last = groups[groups.count - 1].attributes.indices.last else {
                        throw .malformed("a value stands without an attribute")
                    }
                    groups[groups.count - 1].attributes[last].values.append(value)
                }
                continue
            }
            guard groups.count < 256 else { throw .malformed("it has more than 256 groups") }
            groups.append(Group(tag: tag))
        }
        data = Array(bytes[reader.index...])
    }
}

private struct IPPWriter {
    var bytes: [UInt8] = []

    mutating func put(_ value: UInt16) {
        bytes += [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    mutating func put(_ value: UInt32) {
        put(UInt16(truncatingIfNeeded: value >> 16))
        put(UInt16(truncatingIfNeeded: value))
    }

    mutating func put(counted part: [UInt8]) {
        put(UInt16(clamping: part.count))
        bytes += part.prefix(Int(UInt16.max))
    }

    mutating func put(_ attribute: IPPAttribute) {
        for (index, value) in attribute.values.enumerated() {
            bytes.append(value.tag)
            put(counted: index == 0 ? attribute.nameBytes : [])
            put(value.content)
        }
    }

    private mutating func put(_ content: IPPValue.Content) {
        switch content {
        case .number(let value):
            put(UInt16(4))
            put(UInt32(bitPattern: value))
        case .range(let low, let high):
            put(UInt16(8))
            put(UInt32(bitPattern: low))
            put(UInt32(bitPattern: high))
        case .resolution(let across, let down, let unit):
            put(UInt16(9))
            put(UInt32(bitPattern: across))
            put(UInt32(bitPattern: down))
            bytes.append(unit)
        case .bytes(let value): put(counted: value)
        case .collection(let members):
            put(UInt16(0))
            for member in members {
                bytes.append(IPPTag.memberName)
                put(UInt16(0))
                put(counted: member.nameBytes)
                for value in member.values {
                    bytes.append(value.tag)
                    put(UInt16(0))
                    put(value.content)
                }
            }
            bytes += [IPPTag.endCollection, 0, 0, 0, 0]
        }
    }
}

private struct IPPReader {
    let bytes: [UInt8]
    var index = 0
    private var count = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() throws(IPPError) -> UInt8 {
        guard index < bytes.count else { throw .malformed("it breaks off") }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func number(_ size: Int) throws(IPPError) -> Int {
        var value = 0
        for _ in 0..<size { value = value << 8 | Int(try byte()) }
        return value
    }

    mutating func counted() throws(IPPError) -> [UInt8] {
        let length = try number(2)
        guard bytes.count - index >= length else { throw .malformed("it breaks off") }
        defer { index += length }
        return Array(bytes[index..<(index + length)])
    }

    /// Reads an attribute with its first value; `nil` if it is a further value of the last one.
    mutating func attribute(_ tag: UInt8) throws(IPPError) -> IPPAttribute? {
        let name = try counted()
        if name.isEmpty { return nil }
        return IPPAttribute(nameBytes: name, values: [try value(tag, depth: 0)])
    }

    /// Reads a value after its name.
    mutating func value(_ tag: UInt8, depth: Int) throws(IPPError) -> IPPValue {
        count += 1
        guard count <= IPPMessage.maximumValues else { throw .malformed("it has too many values") }
        if tag == IPPTag.beginCollection {
            guard try number(2) == 0 else { throw .malformed("a collection begins with a value") }
            return IPPValue(tag: tag, .collection(try members(depth: depth + 1)))
        }
        guard tag != IPPTag.endCollection, tag != IPPTag.memberName else {
            throw .malformed("a part of a collection stands outside of one")
        }
        let part = try counted()
        func int(_ offset: Int) -> Int32 {
            Int32(bitPattern: part[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) })
        }
        switch (tag, part.count) {
        case (IPPTag.integer, 4), (IPPTag.enumeration, 4): return IPPValue(tag: tag, .number(int(0)))
        case (IPPTag.range, 8): return IPPValue(tag: tag, .range(int(0), int(4)))
        case (IPPTag.resolution, 9): return IPPValue(tag: tag, .resolution(int(0), int(4), part[8]))
        default: return IPPValue(tag: tag, .bytes(part))
        }
    }

    private mutating func members(depth: Int) throws(IPPError) -> [IPPAttribute] {
        guard depth <= IPPMessage.maximumDepth else { throw .malformed("its collections are nested too deep") }
        var members: [IPPAttribute] = []
        while true {
            let tag = try byte()
            guard try number(2) == 0 else { throw .malformed("a member of a collection has a name of its own") }
            switch tag {
            case IPPTag.endCollection:
                guard try number(2) == 0 else { throw .malformed("a collection ends with a value") }
                guard members.allSatisfy({ !$0.values.isEmpty }) else {
                    throw .malformed("a member of a collection has no value")
                }
                return members
            case IPPTag.memberName:
                count += 1
                guard count <= IPPMessage.maximumValues else { throw .malformed("it has too many values") }
                members.append(IPPAttribute(nameBytes: try counted(), values: []))
            default:
                guard let last = members.indices.last else { throw .malformed("a member of a collection has no name") }
                members[last].values.append(try value(tag, depth: depth))
            }
        }
    }
}
