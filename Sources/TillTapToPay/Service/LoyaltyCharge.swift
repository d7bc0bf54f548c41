/// The result of one tap for a payment and a pass.
public struct LoyaltyCharge: Hashable, Sendable {
    /// The result of the payment; nil: the tap read a pass and no card, and nothing was charged.
    public var payment: TapToPayService.PaymentResult?
    /// The result of reading the card.
    public var card: PaymentCardReadResult?
    /// The wallet's answer about the passes; nil: it has no wallet with passes.
    public var passes: VASReadResult?
    /// The loyalty program's answers.
    public var visits: [LoyaltyVisit]
}
