internal import TillCore

/// A complete card number. It prints, dumps and mirrors as its first six and last four digits, has no `Codable` and no
/// `Equatable`, and exposes its digits only through ``reveal()``.
public struct CardNumber: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Accepted number lengths (ISO/IEC 7812-1 allows 8; no payment network goes below 12).
    public static let digitCounts = 12...19

    private let digits: Secret<String>
    /// The networks that the number may belong to, most likely first.
    public let candidates: [CardBrandTable.Candidate]
    /// `true` if the Luhn check passes. `false` is possible only for a network that does not require it.
    public let passesLuhn: Bool

    /// Parses a typed number: digits of any script, with white space and dashes anywhere.
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

    /// Returns the digits. Call it only to send them to their single destination.
    public func reveal() -> String { digits.reveal() }

    /// Number of digits.
    public var count: Int { digits.reveal().utf8.count }
    /// The most likely network; `nil` if no range matches.
    public var brand: CardBrand? { candidates.first { $0.isCertain }?.brand }
    /// The last four digits.
    public var lastFour: String { String(digits.reveal().suffix(4)) }
    /// The first six digits, which identify the issuer.
    public var firstSix: String { String(digits.reveal().prefix(6)) }
    /// First six and last four digits, the most that may be displayed (PCI DSS 3.4).
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

/// A card number validation error. Its messages never repeat the input.
public enum CardNumberError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The input has no digits.
    case empty
    /// The input has characters other than digits, spaces and dashes.
    case notDigits
    /// Too few digits; the value is their count.
    case tooShort(Int)
    /// Too many digits; the value is their count.
    case tooLong(Int)
    /// The Luhn check failed.
    case checkDigit

    /// A display sentence.
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
