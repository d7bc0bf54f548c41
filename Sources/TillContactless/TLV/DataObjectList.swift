/// A list of tags and lengths without values, with which a card requests data: PDOL, CDOL, DDOL, UDOL. Source: EMV Book
/// 3, section 5.4.
public struct DataObjectList: Hashable, Sendable {
    /// Maximum length of a filled list: the capacity of one command.
    public static let mostBytes = 252

    /// One requested object and its length.
    public struct Entry: Hashable, Sendable {
        /// The requested tag.
        public let tag: Tag
        /// The requested length in bytes.
        public let length: Int
    }

    /// The entries in order.
    public let entries: [Entry]

    /// Parses the tags and lengths of a list.
    /// - Throws: a ``TLVError`` if it ends within an entry or requests more than ``mostBytes``.
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

    /// Parses the tags and lengths of a list; `nil` for anything that ``init(_:)`` rejects, if the position is
    /// irrelevant.
    public init?(ifValid bytes: [UInt8]) {
        do throws(TLVError) { try self.init(bytes) } catch { return nil }
    }

    /// Returns `true` if the list requests the tag.
    public func asks(for tag: Tag) -> Bool { entries.contains { $0.tag == tag } }

    /// Returns the concatenated values, each truncated or padded to the requested length. A tag unknown to the source,
    /// and any template, becomes zeros.
    public func filled(from source: (Tag) -> [UInt8]?) -> [UInt8] {
        entries.flatMap { entry -> [UInt8] in
            guard !entry.tag.isConstructed, let value = source(entry.tag) else {
                return [UInt8](repeating: 0, count: entry.length)
            }
            return DataObjectList.fit(value, entry.length, TagDictionary.format(of: entry.tag))
        }
    }

    /// Fits a value: numbers keep their right end and are padded with zeros on the left; all others keep their left end
    /// and are padded on the right: compressed numbers with `FF`, other values with zeros.
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
