internal import TillCore

/// The security code of a card: three or four digits, masked everywhere, never compared, never stored.
public struct SecurityCode: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let digits: Secret<String>
    /// How many digits it has: 3 or 4.
    public let count: Int

    /// Takes a typed code, in digits of any script.
    /// - Throws: ``SecurityCodeError``, which never repeats a digit.
    public init(_ text: String) throws(SecurityCodeError) {
        guard let digits = TypedDigits.strictDigits(in: text) else { throw .notDigits }
        guard !digits.isEmpty else { throw .empty }
        guard (3...4).contains(digits.utf8.count) else { throw .wrongLength(digits.utf8.count, wanted: "3 or 4") }
        self.digits = Secret(digits)
        count = digits.utf8.count
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
    /// Nothing was typed.
    case empty
    /// There is something else than digits.
    case notDigits
    /// It has so many digits; the second value says how many are wanted.
    case wrongLength(Int, wanted: String)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .empty: "Enter the security code."
        case .notDigits: "The security code has a character that is no digit."
        case .wrongLength(_, let wanted): "The security code must have \(wanted) digits."
        }
    }
}
