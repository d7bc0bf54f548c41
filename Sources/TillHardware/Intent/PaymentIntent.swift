public import TillCore

/// What a provider tracks the payment of one order with. There is one for each order, and it is the truth about the
/// money: what a reader or an error says is a hint.
public struct PaymentIntent: Hashable, Sendable {
    /// The provider's name for it. Never empty.
    public let id: ProviderReference
    /// The account that it was made on. It cannot be used on another one.
    public let account: AccountID
    /// The order that it is for, if it says so.
    public let order: OrderID?
    public var status: PaymentIntentStatus
    /// When it was made.
    public let created: Timestamp?
    /// How much it asks for; with a tip that the customer added once the card is collected.
    public var amount: Money
    /// The part of ``amount`` that is a tip, once known.
    public var tip: Money?
    /// The metadata that the provider has of it.
    public var metadata: [String: String]
    /// What was tried with it, newest last.
    public var charges: [Charge]
    /// What was collected, before there is a charge.
    public var collected: PaymentMethod?
    /// Why the last try was declined, if it was.
    public var lastDecline: Decline?

    /// Makes one. An empty id is none: ``UnderlyingError/paymentIntentIDMissing``.
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

    /// What was paid with: that of the newest charge, else what was collected.
    public var paymentMethod: PaymentMethod? { charges.last?.paymentMethod ?? collected }
    /// Until when held money can be taken.
    public var captureBefore: Timestamp? { charges.last?.captureBefore }
}

/// Where an intent stands. Open: a status that is not known keeps its raw value, and is neither canceled nor failed.
public struct PaymentIntentStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// A card must be collected.
    public static let requiresPaymentMethod = PaymentIntentStatus(rawValue: "requires_payment_method")
    /// A card was collected; the money must be asked for.
    public static let requiresConfirmation = PaymentIntentStatus(rawValue: "requires_confirmation")
    /// The customer must do something.
    public static let requiresAction = PaymentIntentStatus(rawValue: "requires_action")
    /// The hold must be asked for again.
    public static let requiresReauthorization = PaymentIntentStatus(rawValue: "requires_reauthorization")
    /// The money is held.
    public static let requiresCapture = PaymentIntentStatus(rawValue: "requires_capture")
    /// The provider does not know yet.
    public static let processing = PaymentIntentStatus(rawValue: "processing")
    public static let canceled = PaymentIntentStatus(rawValue: "canceled")
    /// The money was taken.
    public static let succeeded = PaymentIntentStatus(rawValue: "succeeded")

    /// Every status that is known.
    public static let known: [PaymentIntentStatus] = [
        .requiresPaymentMethod, .requiresConfirmation, .requiresAction, .requiresReauthorization, .requiresCapture,
        .processing, .canceled, .succeeded,
    ]

    /// What it says about the money: held or taken is `yes`, over or not asked for is `no`.
    public var moneyMoved: MoneyMoved {
        switch self {
        case .requiresCapture, .succeeded: .yes
        case .requiresPaymentMethod, .canceled: .no
        default: .unknown
        }
    }
}
