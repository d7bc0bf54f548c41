/// The state of a security code field while it is edited.
public struct SecurityCodeEntry: Sendable {
    /// The validation state of the field.
    public let state: FieldState<SecurityCodeError>
    /// The network's name for the code: CVV, CVC, CID, …
    public let name: String
    /// Accepted numbers of digits.
    public let lengths: ClosedRange<Int>

    /// Evaluates the text typed so far, for a card number with these leading digits.
    public init(_ text: String, numberDigits: String) {
        let candidates = CardBrandTable.candidates(for: numberDigits)
        let profile = candidates.first { $0.isCertain }?.profile
        lengths = SecurityCode.lengths(for: candidates)
        name = profile?.codeName ?? "CVV"
        guard let digits = TypedDigits.strictDigits(in: text) else {
            state = .invalid(.notDigits)
            return
        }
        let count = digits.utf8.count
        if count == 0 {
            state = profile?.codeIsOptional ?? false ? .valid : .incomplete
        } else if count < lengths.lowerBound {
            state = .incomplete
        } else if count > lengths.upperBound {
            state = .invalid(.wrongLength(count, wanted: lengths))
        } else {
            state = .valid
        }
    }
}
