internal import TillCore

/// The security code of a card: three or four digits, masked everywhere, never compared, never stored.
public struct SecurityCode: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let digits: Secret<String>
    /// How many digits it has: 3 or 4.
    public let count: Int

    /// Takes a typed code, in digits of any script.
    /// - Parameter candidates: the networks of the card's number, whose codes have this many digits; 3 or 4 without
    ///   them.
    /// - Throws: ``SecurityCodeError``, which never repeats a digit.
    public init(_ text: String, for candidates: [CardBrandTable.Candidate] = []) throws(SecurityCodeError) {
        guard let digits = TypedDigits.strictDigits(in: text) else { throw .notDigits }
        guard !digits.isEmpty else { throw .empty }
        let lengths = SecurityCode.lengths(for: candidates)
        guard lengths.contains(digits.utf8.count) else { throw .wrongLength(digits.utf8.count, wanted: lengths) }
        self.digits = Secret(digits)
        count = digits.utf8.count
    }

    /// How many digits the codes of those candidates have whose whole range was typed; 3 or 4 if there is none.
    public static func lengths(for candidates: [CardBrandTable.Candidate]) -> ClosedRange<Int> {
        let lengths = candidates.filter(\.isCertain).map(\.profile.codeLength)
        return (lengths.min() ?? 3)...(lengths.max() ?? 4)
    }

    /// The digits. Only code that sends them to their one destination calls this.
    public func reveal() -> String { digits.reveal() }
    /// Always the same mask.
    public var description: String { "•••" }
    /// Always the same mask.
    public var debugDescription: String { "•••" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a text is no security code. The sentences never repeat what was typed.
public enum SecurityCodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no digit.
    case empty
    /// There is something else than digits.
    case notDigits
    /// It has this many digits; the second value says how many are wanted.
    case wrongLength(Int, wanted: ClosedRange<Int>)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .empty: "Enter the security code."
        case .notDigits: "The security code has a character that is no digit."
        case .wrongLength(_, let wanted):
            "The security code must have \(wanted.map { "\($0)" }.joined(separator: " or ")) digits."
        }
    }
}
