public import TillCore

/// A refund at a reader. The amount is exact and in its own currency: nobody multiplies by a hundred.
public struct RefundParameters: Sendable {
    /// The account that the payment was made on.
    public let account: AccountID
    /// The charge to refund.
    public let charge: ProviderReference
    /// The intent of the charge, if known. Interac refunds need it.
    public let intent: ProviderReference?
    /// The intent's secret, for kits that ask for it. Interac refunds on a phone need it.
    public let clientSecret: Secret<String>?
    /// How much; in the currency of the charge.
    public let amount: Money
    /// The idempotency key of this refund: the same one refunds the same money once.
    public let key: IdempotencyKey
    /// Why, for the provider's list.
    public let reason: String?

    public init(
        account: AccountID, charge: ProviderReference, intent: ProviderReference? = nil,
        clientSecret: Secret<String>? = nil, amount: Money, key: IdempotencyKey, reason: String? = nil
    ) {
        self.account = account
        self.charge = charge
        self.intent = intent
        self.clientSecret = clientSecret
        self.amount = amount
        self.key = key
        self.reason = reason
    }
}

/// A refund at the provider. Only ``CardReaderRefundStatus/succeeded`` means that the money was refunded.
public struct CardReaderRefund: Hashable, Sendable {
    /// The provider's name for it.
    public let id: ProviderReference?
    /// The charge that it refunds.
    public let charge: ProviderReference
    public let amount: Money
    public let status: CardReaderRefundStatus
    /// The provider's word for why it failed.
    public let failureReason: String?

    public init(
        id: ProviderReference?, charge: ProviderReference, amount: Money, status: CardReaderRefundStatus,
        failureReason: String? = nil
    ) {
        self.id = id
        self.charge = charge
        self.amount = amount
        self.status = status
        self.failureReason = failureReason
    }
}

/// Where a refund stands. Open: a status that is not known keeps its raw value and is not a success.
public struct CardReaderRefundStatus: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The money went back.
    public static let succeeded = CardReaderRefundStatus(rawValue: "succeeded")
    /// The provider has accepted it; whether the money is refunded is not known yet.
    public static let pending = CardReaderRefundStatus(rawValue: "pending")
    /// The money stays with the shop.
    public static let failed = CardReaderRefundStatus(rawValue: "failed")
    /// Canceled; the money stays with the shop.
    public static let canceled = CardReaderRefundStatus(rawValue: "canceled")
    /// The customer must do something.
    public static let requiresAction = CardReaderRefundStatus(rawValue: "requires_action")
}
