public import TillCore

/// What a sale says about being offline. There is no way to become an offline payment without one of these words.
public enum OfflineChoice: String, Hashable, Sendable, CaseIterable {
    /// Ask the provider; store the card only if certainly nothing was sent.
    case preferOnline = "prefer-online"
    /// Ask the provider; never store.
    case requireOnline = "require-online"
    /// Store the card, whether or not the provider could be reached.
    case forceOffline = "force-offline"
}

/// A payment that was accepted without the provider: stored, not authorized. It is not paid, and no type of it says so.
public struct StoredNotAuthorized: Hashable, Sendable {
    public let payment: PaymentID
    public let order: OrderID
    public let amount: Money
    /// Where and until when.
    public let tap: StoredTap

    package init(payment: PaymentID, order: OrderID, amount: Money, tap: StoredTap) {
        self.payment = payment
        self.order = order
        self.amount = amount
        self.tap = tap
    }

    /// The stored part of a payment; `nil` if it is not stored.
    public init?(_ payment: Payment) {
        guard case .stored(let tap) = payment.currentAttempt?.state else { return nil }
        self.payment = payment.id
        order = payment.order.id
        amount = payment.amount
        self.tap = tap
    }
}

/// How an attempt to take a payment ended that may be offline.
public enum OfflineAcceptance: Sendable {
    /// The provider was asked: the payment says what became of it.
    case online(Payment)
    /// The provider was not asked: the card is stored.
    case stored(StoredNotAuthorized, Payment)
    /// The provider was not reached, and the card was not stored, for these reasons.
    case refused(Payment, reason: String)
}
