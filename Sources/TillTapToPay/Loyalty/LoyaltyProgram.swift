/// The operator of the shop's loyalty accounts. It holds the key of the shop's pass; the till does not.
public protocol LoyaltyProgram: Sendable {
    /// Records a visit of a member. Called for passes that were read; an error never affects the payment.
    func recordVisit(_ pass: VASReadResult.ReadEntry) async throws -> LoyaltyVisit
}

/// A loyalty program's answer to a visit.
public struct LoyaltyVisit: Hashable, Sendable {
    /// The pass type identifier.
    public var pass: String
    /// Displayable text, such as "Member ••0001, 12 points"; never the member's whole number.
    public var text: String

    public init(pass: String, text: String) { (self.pass, self.text) = (pass, text) }
}
