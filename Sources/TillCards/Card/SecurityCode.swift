internal import TillCore

/// A card's security code: three or four digits, masked everywhere, never compared, never stored.
public struct SecurityCode: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let digits: Secret<String>
    /// Number of digits: 3 or 4.
    public let count: Int

    /// Parses a typed code, in digits of any script.
    /// - Parameter candidates: the networks of the card's number, which determine the code length; 3 or 4 without them.
    /// - Throws: ``SecurityCodeError``, which never repeats a digit.
    public init(_ text: String, for candidates: [CardBrandTable.Candidate] = []) throws(SecurityCodeError) {
        guard let digits = TypedDigits.strictDigits(in: text) else { throw .notDigits }
        guard !digits.isEmpty else { throw .empty }
        let lengths = SecurityCode.lengths(for: candidates)
        guard lengths.contains(digits.utf8.count) else { throw .wrongLength(digits.utf8.count, wanted: lengths) }
        self.digits = Secret(digits)
        count = digits.utf8.count
    }

    /// Returns the code lengths of the candidates with a full prefix match; 3 or 4 if there are none.
    public static func lengths(for candidates: [CardBrandTable.Candidate]) -> ClosedRange<Int> {
        let lengths = candidates.filter(\.isCertain).map(\.profile.codeLength)
        return (lengths.min() ?? 3)...(lengths.max() ?? 4)
    }

    /// Returns the digits. Call it only to send them to their single destination.
    public func reveal() -> String { digits.reveal() }
    /// Always the same mask.
    public var description: String { "•••" }
    /// Always the same mask.
    public var debugDescription: String { "•••" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A security code validation error. Its messages never repeat the input.
public enum SecurityCodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The input has no digits.
    case empty
    /// The input has characters other than digits.
    case notDigits
    /// Wrong length: the number of digits, and the lengths accepted.
    case wrongLength(Int, wanted: ClosedRange<Int>)

    /// A display sentence.
    public var description: String {
        switch self {
        case .empty: "Enter the security code."
        case .notDigits: "The security code has a character that is no digit."
        case .wrongLength(_, let wanted):
            "The security code must have \(wanted.map { "\($0)" }.joined(separator: " or ")) digits."
        }
    }
}
