public import TillCore

/// What a card is collected for.
public struct PaymentIntentParameters: Hashable, Sendable {
    /// How much the reader shows.
    public let amount: Money
    /// Which order it is for.
    public let order: OrderID
    /// A short text for the reader and the receipt.
    public let description: String?

    /// Makes one.
    public init(amount: Money, order: OrderID, description: String? = nil) {
        self.amount = amount
        self.order = order
        self.description = description
    }
}
