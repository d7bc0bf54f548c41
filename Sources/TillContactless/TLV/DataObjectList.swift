/// A list of tags and lengths without values, by which a card asks for data: PDOL, CDOL, DDOL, UDOL.
/// Source: EMV Book 3, section 5.4.
public struct DataObjectList: Hashable, Sendable {
    /// The most bytes that a filled list may need: what one command carries.
    public static let mostBytes = 252

    /// One object that the card asks for, and its length.
    public struct Entry: Hashable, Sendable {
        /// What is asked for.
        public let tag: Tag
        /// How many bytes the card wants of it.
        public let length: Int
    }

    /// The wishes in their order.
    public let entries: [Entry]

    /// Reads the tags and lengths of a list.
    /// - Throws: a ``TLVError`` when it ends within an entry or asks for more than ``mostBytes``.
    public init(_ bytes: [UInt8]) throws(TLVError) {
        var entries: [Entry] = []
        var at = 0
        var total = 0
        while at < bytes.count {
            let start = at
            var tag = UInt32(bytes[at])
            at += 1
            if tag & 0x1F == 0x1F {
                var more = true
                while more {
                    guard at < bytes.count else { throw .truncatedTag(at: start) }
                    guard at - start < TagValueReader.longestTag else { throw .tagTooLong(at: start) }
                    tag = tag << 8 | UInt32(bytes[at])
                    more = bytes[at] & 0x80 != 0
                    at += 1
                }
            }
            guard at < bytes.count else { throw .truncatedLength(at: at) }
            let length = Int(bytes[at])
            total += length
            guard total <= DataObjectList.mostBytes else { throw .lengthTooLong(at: at) }
            at += 1
            entries.append(Entry(tag: Tag(rawValue: tag), length: length))
        }
        self.entries = entries
    }

    /// Reads the tags and lengths of a list; `nil` for whatever ``init(_:)`` refuses, where the place does not matter.
    public init?(ifValid bytes: [UInt8]) {
        do throws(TLVError) { try self.init(bytes) } catch { return nil }
    }

    /// Whether the list asks for the tag.
    public func asks(for tag: Tag) -> Bool { entries.contains { $0.tag == tag } }

    /// The values one after another, each cut or filled to the length that the card asked for. A tag that the
    /// source does not know, and any template, becomes zeros.
    public func filled(from source: (Tag) -> [UInt8]?) -> [UInt8] {
        entries.flatMap { entry -> [UInt8] in
            guard !entry.tag.isConstructed, let value = source(entry.tag) else {
                return [UInt8](repeating: 0, count: entry.length)
            }
            return DataObjectList.fit(value, entry.length, TagDictionary.format(of: entry.tag))
        }
    }

    /// Numbers keep their right end and are filled with zeros on the left; everything else keeps its left end, is
    /// filled on the right: compressed numbers with `FF`, other values with zeros.
    static func fit(_ value: [UInt8], _ length: Int, _ format: TagFormat) -> [UInt8] {
        switch format {
        case .numeric:
            return value.count >= length
                ? Array(value.suffix(length)) : [UInt8](repeating: 0, count: length - value.count) + value
        case .compressedNumeric:
            return value.count >= length
                ? Array(value.prefix(length)) : value + [UInt8](repeating: 0xFF, count: length - value.count)
        case .binary, .alphanumeric, .list, .template:
            return value.count >= length
                ? Array(value.prefix(length)) : value + [UInt8](repeating: 0, count: length - value.count)
        }
    }
}
