/// What a customer's bank statement shows for a payment: 5 to 22 printable ASCII characters, at least one of them a
/// letter, none of `< > \ ' " *`.
public struct StatementDescriptor: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    public var description: String { text }

    public static let minimumLength = 5
    /// The most characters; they are ASCII, so it is as many bytes.
    public static let maximumLength = 22

    /// Takes a text as it is, or says what is wrong with it.
    public init(_ text: String) throws(StatementDescriptorError) {
        guard text.utf8.allSatisfy(StatementDescriptor.isAllowed) else { throw .character }
        let count = text.utf8.count
        guard count >= StatementDescriptor.minimumLength, count <= StatementDescriptor.maximumLength else {
            throw .length(count)
        }
        guard text.utf8.contains(where: StatementDescriptor.isLetter) else { throw .noLetter }
        self.text = text
    }

    /// Takes any text, such as a shop's name: puts `-` for what is not allowed and cuts it. `nil` if too little is
    /// left.
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

/// What is wrong with a statement descriptor.
public enum StatementDescriptorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It has this many characters.
    case length(Int)
    /// It has no letter.
    case noLetter
    /// It has a character that banks do not take.
    case character

    public var description: String {
        switch self {
        case .length(let count): "A statement descriptor has 5 to 22 characters, not \(count)."
        case .noLetter: "A statement descriptor has at least one letter."
        case .character: "A statement descriptor has plain ASCII characters and none of < > \\ ' \" *."
        }
    }
}
