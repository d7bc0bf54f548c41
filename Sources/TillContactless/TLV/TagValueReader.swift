/// Walks over data objects without copying them: each step gives a tag and where its value lies.
///
/// Rules, decided where peers disagree: a tag has at most four bytes; a length has the short form or `81` to `84`, not
/// necessarily the shortest; the length octet `80` is refused; `00` before, between and after objects is padding, also
/// in templates (EMVCo's Specification Update 69), and so is `FF`, with which cards in circulation pad, but for `FF81`,
/// which begins the templates of terminals. Reading never goes past the end and never traps. Source: EMV Book 3,
/// annex B.
public struct TagValueReader: Sendable {
    /// The longest tag that is taken, in bytes.
    public static let longestTag = 4

    /// One data object in place.
    public struct Element: Hashable, Sendable {
        public let tag: Tag
        /// Where its value lies in the bytes that are walked.
        public let value: Range<Int>
    }

    /// The bytes that are walked.
    public let bytes: [UInt8]
    private var position: Int
    private let end: Int
    private let skipsPadding: Bool

    /// Walks over all of the bytes, passing over padding between objects.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        (position, end, skipsPadding) = (0, bytes.count, true)
    }

    /// Walks over a part, as the value of a template that the same bytes hold. A range beyond them is cut.
    public init(_ bytes: [UInt8], in part: Range<Int>, skipsPadding: Bool = false) {
        self.bytes = bytes
        self.skipsPadding = skipsPadding
        let cut = part.clamped(to: 0..<bytes.count)
        (position, end) = (cut.lowerBound, cut.upperBound)
    }

    /// The next object, or nil at the end.
    @inlinable
    public mutating func next() throws(TLVError) -> Element? {
        try step(bytes)
    }

    /// `00`, and `FF` unless it begins one of the templates `FF81xx` that terminals use.
    @inline(__always)
    private static func isPadding(_ storage: [UInt8], _ at: Int, _ end: Int) -> Bool {
        let byte = storage[at]
        if byte == 0x00 { return true }
        return byte == 0xFF && !(end &- at > 1 && storage[at &+ 1] == 0x81)
    }

    /// The step itself, over storage that stays where it is.
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
