import TillCore

/// The state of a card number field while it is edited. Pure: the same text always gives the same result.
///
/// ```swift
/// let field = CardNumberFormatter.format(FormattedEntry(text: "40320362", caret: 8))
/// print(field.text, field.caret)  // 4032 0362 9
/// let entry = CardNumberEntry(field.text)
/// if case .invalid(let error) = entry.state { print(error) }
/// ```
public struct CardNumberEntry: Sendable {
    /// A warning that does not block a payment.
    public enum Warning: Hashable, Sendable {
        /// The Luhn check fails, on a network that does not require it.
        case checkDigit
        /// The number's length is unusual for the network.
        case unusualLength
    }

    /// The state during typing: faults that further typing could correct are ``FieldState/incomplete``.
    public let state: FieldState<CardNumberError>
    /// The state on blur or submission, as validated by ``CardNumber``. Empty is ``FieldState/incomplete``.
    public let whenLeft: FieldState<CardNumberError>
    /// Points to double-check in a number that ``CardNumber`` accepts.
    public let warnings: [Warning]
    /// The networks that the number may belong to, most likely first.
    public let candidates: [CardBrandTable.Candidate]
    /// Number of digits typed.
    public let count: Int
    /// `true` if a candidate network has longer numbers.
    public let mayContinue: Bool

    /// Evaluates the text typed so far.
    public init(_ text: String) {
        let digits = TypedDigits.strictDigits(in: text)
        count = digits?.utf8.count ?? TypedDigits.digits(in: text).utf8.count
        candidates = digits.map { CardBrandTable.candidates(for: $0) } ?? []
        let lengths = Set(candidates.flatMap(\.profile.lengths))
        let longest = candidates.isEmpty ? CardNumber.digitCounts.upperBound : lengths.max() ?? 0
        let isLength = candidates.isEmpty ? CardNumber.digitCounts.contains(count) : lengths.contains(count)
        mayContinue = digits != nil && count < longest
        do throws(CardNumberError) {
            let number = try CardNumber(text)
            whenLeft = .valid
            warnings = (isLength ? [] : [.unusualLength]) + (number.passesLuhn ? [] : [.checkDigit])
            state = isLength || !mayContinue ? .valid : .incomplete
        } catch {
            whenLeft = error == .empty ? .incomplete : .invalid(error)
            warnings = []
            switch error {
            case .empty, .tooShort: state = .incomplete
            case .checkDigit: state = mayContinue ? .incomplete : .invalid(error)
            case .notDigits, .tooLong: state = .invalid(error)
            }
        }
    }
}
