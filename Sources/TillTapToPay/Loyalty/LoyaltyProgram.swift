/// Who keeps the shop's loyalty accounts. It holds the key of the shop's pass; the till does not.
public protocol LoyaltyProgram: Sendable {
    /// A member was here. Called for passes that were read; a throw never touches the payment.
    func recordVisit(_ pass: VASReadResult.ReadEntry) async throws -> LoyaltyVisit
}

/// What a program says of a visit.
public struct LoyaltyVisit: Hashable, Sendable {
    /// The pass type identifier.
    public var pass: String
    /// What may be shown, such as "Member ••0001, 12 points"; never the member's whole number.
    public var text: String

    public init(pass: String, text: String) { (self.pass, self.text) = (pass, text) }
}
