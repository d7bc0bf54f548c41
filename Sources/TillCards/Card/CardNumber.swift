internal import TillCore

/// A whole card number. It prints, dumps and mirrors as its first six and last four digits, has no `Codable` and no
/// `Equatable`, and gives its digits only through ``reveal()``.
public struct CardNumber: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many digits a card number has (ISO/IEC 7812-1 allows 8; no payment network goes below 12).
    public static let digitCounts = 12...19

    private let digits: Secret<String>
    /// The networks that the number may belong to, the likeliest first.
    public let candidates: [CardBrandTable.Candidate]
    /// The check digit fits. `false` is possible only for a network whose cards need not have one.
    public let passesLuhn: Bool

    /// Takes a typed number: digits of any script, with white space and dashes anywhere.
    /// - Throws: ``CardNumberError``, which never repeats a digit.
    public init(_ text: String) throws(CardNumberError) {
        guard let digits = TypedDigits.strictDigits(in: text) else { throw .notDigits }
        let count = digits.utf8.count
        guard count > 0 else { throw .empty }
        guard count >= CardNumber.digitCounts.lowerBound else { throw .tooShort(count) }
        guard count <= CardNumber.digitCounts.upperBound else { throw .tooLong(count) }
        let candidates = CardBrandTable.candidates(for: digits)
        let passes = LuhnChecksum.isValid(digits)
        guard passes || candidates.contains(where: { $0.isCertain && $0.profile.toleratesWrongCheckDigit }) else {
            throw .checkDigit
        }
        self.digits = Secret(digits)
        self.candidates = candidates
        passesLuhn = passes
    }

    /// The digits. Only code that sends them to their one destination calls this.
    public func reveal() -> String { digits.reveal() }

    /// How many digits there are.
    public var count: Int { digits.reveal().utf8.count }
    /// The likeliest network; `nil` if no range fits.
    public var brand: CardBrand? { candidates.first { $0.isCertain }?.brand }
    /// The last four digits.
    public var lastFour: String { String(digits.reveal().suffix(4)) }
    /// The first six digits, which name the issuer.
    public var firstSix: String { String(digits.reveal().prefix(6)) }
    /// First six and last four, the most of a number that may be shown (PCI DSS 3.4).
    public var masked: String {
        firstSix + String(repeating: "•", count: max(0, count - 10)) + lastFour
    }
    /// The same as ``masked``.
    public var description: String { masked }
    /// The same as ``masked``.
    public var debugDescription: String { masked }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a text is no card number. The sentences never repeat what was typed.
public enum CardNumberError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no digit.
    case empty
    /// There is something else than digits, spaces and dashes.
    case notDigits
    /// So many digits are too few.
    case tooShort(Int)
    /// So many digits are too many.
    case tooLong(Int)
    /// The check digit does not fit.
    case checkDigit

    /// One sentence for people.
    public var description: String {
        switch self {
        case .empty: "Enter the card number."
        case .notDigits: "The card number has a character that is no digit."
        case .tooShort(let count): "The card number has \(count) digits; cards have at least 12."
        case .tooLong(let count): "The card number has \(count) digits; cards have at most 19."
        case .checkDigit: "Check the card number for a typing mistake: its check digit does not match."
        }
    }
}
