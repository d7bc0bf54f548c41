/// Iterates over data objects without copying: each step returns a tag and the range of its value.
///
/// Rules where implementations disagree: a tag has at most four bytes; a length has the short form or `81` to `84`, not
/// necessarily the shortest; the length octet `80` is rejected; `00` before, between and after objects is padding, also
/// in templates (EMVCo's Specification Update 69), and so is `FF`, which cards in circulation use as padding, but for
/// `FF81`, which begins the templates of terminals. Reading never goes past the end and never traps. Source: EMV Book
/// 3, annex B.
public struct TagValueReader: Sendable {
    /// The longest tag accepted, in bytes.
    public static let longestTag = 4

    /// The location of one data object.
    public struct Element: Hashable, Sendable {
        public let tag: Tag
        /// The range of the value in the input bytes.
        public let value: Range<Int>
    }

    /// The input bytes.
    public let bytes: [UInt8]
    private var position: Int
    private let end: Int
    private let skipsPadding: Bool

    /// Creates an iterator over all of the bytes that skips padding between objects.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        (position, end, skipsPadding) = (0, bytes.count, true)
    }

    /// Creates an iterator over a part, such as the value of a template in the same bytes. The range is clamped to
    /// them.
    public init(_ bytes: [UInt8], in part: Range<Int>, skipsPadding: Bool = false) {
        self.bytes = bytes
        self.skipsPadding = skipsPadding
        let cut = part.clamped(to: 0..<bytes.count)
        (position, end) = (cut.lowerBound, cut.upperBound)
    }

    /// Returns the next object, or `nil` at the end.
    @inlinable
    public mutating func next() throws(TLVError) -> Element? {
        try step(bytes)
    }

    /// Returns `true` for `00`, and for `FF` unless it begins one of the templates `FF81xx` that terminals use.
    @inline(__always)
    private static func isPadding(_ storage: [UInt8], _ at: Int, _ end: Int) -> Bool {
        let byte = storage[at]
        if byte == 0x00 { return true }
        return byte == 0xFF && !(end &- at > 1 && storage[at &+ 1] == 0x81)
    }

    /// Performs one step over storage that does not move.
    @usableFromInline
    mutating func step(_ storage: [UInt8]) throws(TLVError) -> Element? {
        var at = position
        while skipsPadding, at < end, TagValueReader.isPadding(storage, at, end) { at &+= 1 }
        guard at < end else {
            position = at
            return nil
        }
        let start = at
        var tag = UInt32(storage[at])
        at &+= 1
        if tag & 0x1F == 0x1F {
            var more = true
            while more {
                guard at < end else { throw .truncatedTag(at: start) }
                guard at &- start < TagValueReader.longestTag else { throw .tagTooLong(at: start) }
                let byte = storage[at]
                tag = tag << 8 | UInt32(byte)
                more = byte & 0x80 != 0
                at &+= 1
            }
        }
        guard at < end else { throw .truncatedLength(at: at) }
        var length = Int(storage[at])
        at &+= 1
        if length >= 0x80 {
            let octets = length & 0x7F
            guard octets != 0 else { throw .indefiniteLength(at: at &- 1) }
            guard octets <= 4 else { throw .lengthTooLong(at: at &- 1) }
            guard end &- at >= octets else { throw .truncatedLength(at: at) }
            length = 0
            for _ in 0..<octets {
                length = length << 8 | Int(storage[at])
                at &+= 1
            }
        }
        guard length <= end &- at else {
            throw .truncatedValue(tag: Tag(rawValue: tag), needs: length, has: end &- at)
        }
        position = at &+ length
        return Element(tag: Tag(rawValue: tag), value: at..<position)
    }
}
