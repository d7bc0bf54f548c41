/// What a card form knows of a security code while it is typed.
public struct SecurityCodeEntry: Sendable {
    /// How the field stands.
    public let state: FieldState<SecurityCodeError>
    /// What the network calls it: CVV, CVC, CID, …
    public let name: String
    /// How many digits are wanted.
    public let lengths: ClosedRange<Int>

    /// Judges what was typed so far, for a number that begins with these digits.
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
