public import TillCore

/// The provider's record of the payment of one order. There is one for each order, and it is authoritative about the
/// money: a report of a reader or an error is only a hint.
public struct PaymentIntent: Hashable, Sendable {
    /// The provider's identifier. Never empty.
    public let id: ProviderReference
    /// The account that it was created on. It cannot be used on another one.
    public let account: AccountID
    /// The order that it is for, if recorded.
    public let order: OrderID?
    public var status: PaymentIntentStatus
    /// The creation time.
    public let created: Timestamp?
    /// The requested amount; includes a tip that the customer added, once the card is collected.
    public var amount: Money
    /// The part of ``amount`` that is a tip, once known.
    public var tip: Money?
    /// The metadata stored by the provider.
    public var metadata: [String: String]
    /// The charges attempted, newest last.
    public var charges: [Charge]
    /// The collected payment method, before there is a charge.
    public var collected: PaymentMethod?
    /// The decline of the last attempt, if it was declined.
    public var lastDecline: Decline?

    /// Creates an intent. Throws ``UnderlyingError/paymentIntentIDMissing`` for an empty id.
    public init(
        id: ProviderReference, account: AccountID, order: OrderID?, status: PaymentIntentStatus,
        created: Timestamp? = nil, amount: Money, tip: Money? = nil, metadata: [String: String] = [:],
        charges: [Charge] = [], collected: PaymentMethod? = nil, lastDecline: Decline? = nil
    ) throws(CardReaderFailure) {
        guard !id.rawValue.isEmpty else { throw CardReaderFailure(.paymentIntentIDMissing) }
        self.id = id
        self.account = account
        self.order = order
        self.status = status
        self.created = created
        self.amount = amount
        self.tip = tip
        self.metadata = metadata
        self.charges = charges
        self.collected = collected
        self.lastDecline = lastDecline
    }

    /// The payment method of the newest charge, or else the collected one.
    public var paymentMethod: PaymentMethod? { charges.last?.paymentMethod ?? collected }
    /// The deadline for capturing held money.
    public var captureBefore: Timestamp? { charges.last?.captureBefore }
}

/// The status of an intent. Open: an unknown status keeps its raw value, and is neither canceled nor failed.
public struct PaymentIntentStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// A card must be collected.
    public static let requiresPaymentMethod = PaymentIntentStatus(rawValue: "requires_payment_method")
    /// A card was collected; the intent must be confirmed.
    public static let requiresConfirmation = PaymentIntentStatus(rawValue: "requires_confirmation")
    /// The customer must take an action.
    public static let requiresAction = PaymentIntentStatus(rawValue: "requires_action")
    /// The hold must be authorized again.
    public static let requiresReauthorization = PaymentIntentStatus(rawValue: "requires_reauthorization")
    /// The money is held.
    public static let requiresCapture = PaymentIntentStatus(rawValue: "requires_capture")
    /// The provider does not know the outcome yet.
    public static let processing = PaymentIntentStatus(rawValue: "processing")
    public static let canceled = PaymentIntentStatus(rawValue: "canceled")
    /// The money was captured.
    public static let succeeded = PaymentIntentStatus(rawValue: "succeeded")

    /// Every known status.
    public static let known: [PaymentIntentStatus] = [
        .requiresPaymentMethod, .requiresConfirmation, .requiresAction, .requiresReauthorization, .requiresCapture,
        .processing, .canceled, .succeeded,
    ]

    /// The movement of money that the status implies: `yes` if held or captured, `no` if canceled or without a payment
    /// method, otherwise `unknown`.
    public var moneyMoved: MoneyMoved {
        switch self {
        case .requiresCapture, .succeeded: .yes
        case .requiresPaymentMethod, .canceled: .no
        default: .unknown
        }
    }
}
