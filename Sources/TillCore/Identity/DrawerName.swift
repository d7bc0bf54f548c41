/// The name of a cash drawer of an account, unique within it.
///
/// The drawer ``main`` is the account's first: cash that names no drawer is in it.
public struct DrawerName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a name, in bytes.
    public static let maximumBytes = 24
    /// The drawer of an account that has one, and of everything from before drawers had names.
    public static let main = DrawerName(rawValue: "main")
    /// A sentence about the form of a name.
    public static let form = "It must be 1 to \(maximumBytes) lowercase letters, digits and hyphens, a letter first."

    /// The text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it. Use ``init(ifValid:)`` for external text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Validates external text: 1 to 24 lowercase ASCII letters, digits and hyphens, a letter first; `nil` for anything
    /// else, and for a text with a card number in it.
    public init?(ifValid text: String) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = text.utf8.first, letters.contains(first), text.utf8.count <= DrawerName.maximumBytes,
            text.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") }),
            !CardNumberMask.finds(in: text)
        else { return nil }
        self.init(rawValue: text)
    }

    public var description: String { rawValue }
}
