public import TillCore

/// What a card is collected for. Everything is checked before a reader wakes: see ``check(against:)``.
public struct PaymentIntentParameters: Hashable, Sendable {
    /// How much the reader shows, without a tip.
    public let amount: Money
    /// Which order it is for. One order has one intent.
    public let order: OrderID
    /// A short text for the reader and the receipt.
    public let description: String?
    /// The account that the order belongs to. If it is given, a service that is bound to another one refuses the
    /// payment; an app that serves more than one account gives it always.
    public var account: AccountID?
    /// What the customer's bank statement shows, where the provider lets the shop choose.
    public var statementDescriptor: StatementDescriptor?
    /// Where the provider sends its own receipt.
    public var receiptEmail: EmailAddress?
    /// What the reader may take.
    public var methods: [PaymentMethodType]
    /// When a hold is captured.
    public var captureMethod: CaptureMethod
    /// What the provider keeps for the platform.
    public var applicationFee: Money?
    /// Whether and on what the reader asks for a tip.
    public var tipping: Tipping
    /// Which network a card with two uses, for eftpos and Cartes Bancaires.
    public var requestedPriority: RoutingPriority?
    /// Whether a longer hold is asked for.
    public var requestsExtendedAuthorization: Bool
    /// Whether raising the hold later is asked for.
    public var requestsIncrementalAuthorization: Bool
    /// Whether the customer may cancel the payment at the reader.
    public var allowsCustomerCancellation: Bool
    /// Further metadata for the provider. Order, account and reader are always sent: see ``metadata(account:reader:)``.
    public var metadata: [String: String]

    /// When a hold is captured.
    public enum CaptureMethod: String, Hashable, Sendable, CaseIterable {
        /// By a capture, except for cards that take it when they are confirmed.
        case manualPreferred = "manual_preferred"
        /// By a capture always; such cards are refused.
        case manual
        /// By the provider at once.
        case automatic
    }

    /// Whether and on what a reader asks for a tip.
    public enum Tipping: Hashable, Sendable {
        /// It does not ask.
        case none
        /// It asks as its configuration says, on the whole amount.
        case onWholeAmount
        /// It asks on this part of the amount.
        case onPart(Money)
    }

    /// Which network a card with two uses.
    public enum RoutingPriority: String, Hashable, Sendable, CaseIterable {
        case domestic
        case international
    }

    /// Makes them: card present, captured by us, no tip.
    public init(amount: Money, order: OrderID, description: String? = nil) {
        self.amount = amount
        self.order = order
        self.description = description
        methods = [.cardPresent]
        captureMethod = .manualPreferred
        tipping = .none
        requestsExtendedAuthorization = false
        requestsIncrementalAuthorization = false
        allowsCustomerCancellation = true
        metadata = [:]
    }

    /// Metadata keys under which the provider always receives what the intent belongs to.
    public enum MetadataKey {
        public static let order = "till_order"
        public static let account = "till_account"
        /// The reader's serial number.
        public static let reader = "till_reader"
        public static let readerModel = "till_reader_model"
    }

    /// What is sent to the provider: the shop's own entries, and always order, account and reader, which win.
    public func metadata(account: AccountID, reader: CardReader?) -> [String: String] {
        var all = metadata
        all[MetadataKey.order] = order.rawValue
        all[MetadataKey.account] = account.rawValue
        all[MetadataKey.reader] = reader?.serial
        all[MetadataKey.readerModel] = reader?.readerType.rawValue
        return all
    }
}
