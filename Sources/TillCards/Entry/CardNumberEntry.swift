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

    /// How the field stands.
    public let state: FieldState<CardNumberError>
    /// Things worth a second look.
    public let warnings: [Warning]
    /// The networks that the number may belong to, the likeliest first.
    public let candidates: [CardBrandTable.Candidate]
    /// How many digits were typed.
    public let count: Int
    /// A longer number of one of the candidates is possible.
    public let mayContinue: Bool

    /// Looks at what was typed so far.
    public init(_ text: String) {
        guard let digits = TypedDigits.strictDigits(in: text) else {
            self.init(.invalid(.notDigits), count: TypedDigits.digits(in: text).utf8.count)
            return
        }
        let count = digits.utf8.count
        let candidates = CardBrandTable.candidates(for: digits)
        guard count <= CardNumber.digitCounts.upperBound else {
            self.init(.invalid(.tooLong(count)), candidates: candidates, count: count)
            return
        }
        let lengths = Set(candidates.flatMap(\.profile.lengths))
        let longest = candidates.isEmpty ? CardNumber.digitCounts.upperBound : lengths.max() ?? 0
        let isLength = candidates.isEmpty ? CardNumber.digitCounts.contains(count) : lengths.contains(count)
        let mayContinue = count < longest
        guard count >= CardNumber.digitCounts.lowerBound, isLength || !mayContinue else {
            self.init(.incomplete, candidates: candidates, count: count, mayContinue: mayContinue)
            return
        }
        var warnings: [Warning] = isLength ? [] : [.unusualLength]
        if LuhnChecksum.isValid(digits) {
            self.init(.valid, warnings, candidates: candidates, count: count, mayContinue: mayContinue)
        } else if candidates.contains(where: { $0.isCertain && $0.profile.toleratesWrongCheckDigit }) {
            warnings.append(.checkDigit)
            self.init(.valid, warnings, candidates: candidates, count: count, mayContinue: mayContinue)
        } else {
            self.init(
                mayContinue ? .incomplete : .invalid(.checkDigit), warnings, candidates: candidates, count: count,
                mayContinue: mayContinue)
        }
    }

    private init(
        _ state: FieldState<CardNumberError>, _ warnings: [Warning] = [],
        candidates: [CardBrandTable.Candidate] = [], count: Int, mayContinue: Bool = false
    ) {
        self.state = state
        self.warnings = warnings
        self.candidates = candidates
        self.count = count
        self.mayContinue = mayContinue
    }
}
