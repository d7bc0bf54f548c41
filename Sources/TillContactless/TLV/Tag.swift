import TillCore

/// The tag of a data object, as EMV writes it: one to four bytes, preserved as received. Source: EMV Book 3, annex B.
public struct Tag: RawRepresentable, Hashable, Sendable, Comparable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The bytes of the tag, big-endian.
    public let rawValue: UInt32

    /// Creates a tag from its bytes as one number: `0x9F26`.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Creates a tag from its bytes as one number: `0x9F26`.
    public init(integerLiteral value: UInt32) { rawValue = value }

    /// Parses hexadecimal digits such as `9F26`; `nil` for anything else.
    public init?(hex: String) {
        guard (2...8).contains(hex.utf8.count), hex.utf8.count.isMultiple(of: 2),
            let value = UInt32(hex, radix: 16), !hex.hasPrefix("+"), !hex.hasPrefix("-")
        else { return nil }
        rawValue = value
    }

    /// The bytes of the tag.
    public var bytes: [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: rawValue >> UInt32((count - 1 - $0) * 8)) }
    }

    /// Number of bytes: one to four.
    private var count: Int { 4 - min(3, rawValue.leadingZeroBitCount / 8) }

    /// `true` if the value contains further data objects: bit 6 of the first byte.
    public var isConstructed: Bool { rawValue >> UInt32((count - 1) * 8) & 0x20 != 0 }

    /// The bytes in hexadecimal, as documents write a tag.
    public var description: String { Hex.text(bytes) }

    /// Orders by the bytes as a number.
    public static func < (left: Tag, right: Tag) -> Bool { left.rawValue < right.rawValue }
}
