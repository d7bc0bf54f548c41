/// The text on a customer's bank statement for a payment: 5 to 22 printable ASCII characters, at least one of them a
/// letter, none of `< > \ ' " *`.
public struct StatementDescriptor: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    public var description: String { text }

    public static let minimumLength = 5
    /// The maximum number of characters; they are ASCII, so it is also the maximum number of bytes.
    public static let maximumLength = 22

    /// Accepts a valid text unchanged, and throws the violated rule otherwise.
    public init(_ text: String) throws(StatementDescriptorError) {
        guard text.utf8.allSatisfy(StatementDescriptor.isAllowed) else { throw .character }
        let count = text.utf8.count
        guard count >= StatementDescriptor.minimumLength, count <= StatementDescriptor.maximumLength else {
            throw .length(count)
        }
        guard text.utf8.contains(where: StatementDescriptor.isLetter) else { throw .noLetter }
        self.text = text
    }

    /// Accepts any text, such as a shop's name: replaces disallowed characters with `-` and truncates it. `nil` if too
    /// little is left.
    public init?(cleaning text: String) {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars.prefix(1000) where bytes.count < StatementDescriptor.maximumLength {
            let byte = UInt8(exactly: scalar.value) ?? 0
            bytes.append(StatementDescriptor.isAllowed(byte) ? byte : 0x2D)
        }
        guard let cleaned = try? StatementDescriptor(String(decoding: bytes, as: UTF8.self)) else { return nil }
        self = cleaned
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x27, 0x2A, 0x3C, 0x3E, 0x5C: false
        default: byte >= 0x20 && byte < 0x7F
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

/// A violation of the rules for statement descriptors.
public enum StatementDescriptorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The wrong number of characters.
    case length(Int)
    /// No letter.
    case noLetter
    /// A character that banks do not accept.
    case character

    public var description: String {
        switch self {
        case .length(let count): "A statement descriptor has 5 to 22 characters, not \(count)."
        case .noLetter: "A statement descriptor has at least one letter."
        case .character: "A statement descriptor has plain ASCII characters and none of < > \\ ' \" *."
        }
    }
}
