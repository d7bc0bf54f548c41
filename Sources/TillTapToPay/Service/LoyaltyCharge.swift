/// What came of one tap that was for a payment and a pass.
public struct LoyaltyCharge: Hashable, Sendable {
    /// What came of the payment; nil: the tap gave a pass and no card, and no money was asked for.
    public var payment: TapToPayService.PaymentResult?
    /// What was read of the card.
    public var card: PaymentCardReadResult?
    /// What the wallet said of the passes; nil: it is no wallet with passes.
    public var passes: VASReadResult?
    /// What the loyalty program said.
    public var visits: [LoyaltyVisit]
}
