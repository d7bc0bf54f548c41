import TillCore

/// What a card form knows of a number while it is typed. Pure: the same text gives the same answer.
public struct CardNumberEntry: Sendable {
    /// Something that does not stop a payment.
    public enum Warning: Hashable, Sendable {
        /// The check digit does not fit, on a network whose cards need not have one.
        case checkDigit
        /// The network's cards have other lengths.
        case unusualLength
    }

    /// How the field stands while it is typed in: what typing on could still mend is ``FieldState/incomplete``.
    public let state: FieldState<CardNumberError>
    /// How it stands when it is left or submitted: as ``CardNumber`` judges it. Empty is ``FieldState/incomplete``.
    public let whenLeft: FieldState<CardNumberError>
    /// What should be double-checked in a number that ``CardNumber`` accepts.
    public let warnings: [Warning]
    /// The networks that the number may belong to, the likeliest first.
    public let candidates: [CardBrandTable.Candidate]
    /// How many digits were typed.
    public let count: Int
    /// A longer number of one of the candidates is possible.
    public let mayContinue: Bool

    /// Judges what was typed so far.
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
