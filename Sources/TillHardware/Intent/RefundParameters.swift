public import TillCore

/// A refund at a reader. The amount is exact, in minor units of its own currency.
///
/// ```swift
/// let parameters = RefundParameters(
///     account: .main, charge: charge, amount: Money(minorUnits: 450, currency: .eur),
///     key: IdempotencyKey(rawValue: "1001-refund-1"))
/// let refund = try await service.refund(parameters)
/// if refund.status != .succeeded { print("Not refunded yet: \(refund.status.rawValue)") }
/// ```
public struct RefundParameters: Sendable {
    /// The account that the payment was made on.
    public let account: AccountID
    /// The charge to refund.
    public let charge: ProviderReference
    /// The intent of the charge, if known. Interac refunds need it.
    public let intent: ProviderReference?
    /// The intent's secret, for SDKs that need it. Interac refunds on a phone need it.
    public let clientSecret: Secret<String>?
    /// The amount, in the currency of the charge.
    public let amount: Money
    /// The idempotency key of this refund: the same key refunds once.
    public let key: IdempotencyKey
    /// The reason, for the provider's records.
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
    /// The provider's identifier.
    public let id: ProviderReference?
    /// The charge that it refunds.
    public let charge: ProviderReference
    public let amount: Money
    public let status: CardReaderRefundStatus
    /// The provider's code for the cause of a failure.
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

/// The status of a refund. Open: an unknown status keeps its raw value and is not a success.
public struct CardReaderRefundStatus: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The money was refunded.
    public static let succeeded = CardReaderRefundStatus(rawValue: "succeeded")
    /// Accepted by the provider; the outcome is not known yet.
    public static let pending = CardReaderRefundStatus(rawValue: "pending")
    /// The money stays with the shop.
    public static let failed = CardReaderRefundStatus(rawValue: "failed")
    /// Canceled; the money stays with the shop.
    public static let canceled = CardReaderRefundStatus(rawValue: "canceled")
    /// The customer must take an action.
    public static let requiresAction = CardReaderRefundStatus(rawValue: "requires_action")
}
