public import TillCore

/// The offline mode of a sale. A payment cannot be taken offline without one of these values.
public enum OfflineChoice: String, Hashable, Sendable, CaseIterable {
    /// Ask the provider; store the card only if it is certain that nothing was sent.
    case preferOnline = "prefer-online"
    /// Ask the provider; never store.
    case requireOnline = "require-online"
    /// Store the card, whether or not the provider is reachable.
    case forceOffline = "force-offline"
}

/// A payment accepted without the provider: stored, not authorized. It is unpaid, and no type represents it as paid.
public struct StoredNotAuthorized: Hashable, Sendable {
    public let payment: PaymentID
    public let order: OrderID
    public let amount: Money
    /// Log reference and expiry of the stored card.
    public let tap: StoredTap

    package init(payment: PaymentID, order: OrderID, amount: Money, tap: StoredTap) {
        self.payment = payment
        self.order = order
        self.amount = amount
        self.tap = tap
    }

    /// Returns the stored part of a payment; `nil` if it is not stored.
    public init?(_ payment: Payment) {
        guard case .stored(let tap) = payment.currentAttempt?.state else { return nil }
        self.payment = payment.id
        order = payment.order.id
        amount = payment.amount
        self.tap = tap
    }
}

/// The result of a payment attempt that may be taken offline.
public enum OfflineAcceptance: Sendable {
    /// The provider was asked; the payment holds the result.
    case online(Payment)
    /// The provider was not asked; the card is stored.
    case stored(StoredNotAuthorized, Payment)
    /// The provider was not reached and the card was not stored, for this reason.
    case refused(Payment, reason: String)
}
