public import TillCore

/// The parameters of a payment at a reader. Everything is validated before a reader wakes: see ``check(against:)``.
public struct PaymentIntentParameters: Hashable, Sendable {
    /// The amount shown on the reader, without a tip.
    public let amount: Money
    /// The order. One order has one intent.
    public let order: OrderID
    /// A short text for the reader and the receipt.
    public let description: String?
    /// The account that the order belongs to. If set, a service that is bound to another account refuses the payment;
    /// an app that serves more than one account always sets it.
    public var account: AccountID?
    /// The text on the customer's bank statement, where the provider lets the shop choose.
    public var statementDescriptor: StatementDescriptor?
    /// The address for the provider's own receipt.
    public var receiptEmail: EmailAddress?
    /// The payment methods that the reader may accept.
    public var methods: [PaymentMethodType]
    /// The time at which a hold is captured.
    public var captureMethod: CaptureMethod
    /// The platform's fee, withheld by the provider.
    public var applicationFee: Money?
    /// The tipping prompt of the reader.
    public var tipping: Tipping
    /// The preferred network for a co-branded card, for eftpos and Cartes Bancaires.
    public var requestedPriority: RoutingPriority?
    /// `true` to request an extended authorization.
    public var requestsExtendedAuthorization: Bool
    /// `true` to request incremental authorization.
    public var requestsIncrementalAuthorization: Bool
    /// `true` if the customer may cancel the payment at the reader.
    public var allowsCustomerCancellation: Bool
    /// Further metadata for the provider. Order, account and reader are always sent: see ``metadata(account:reader:)``.
    public var metadata: [String: String]

    /// The time at which a hold is captured.
    public enum CaptureMethod: String, Hashable, Sendable, CaseIterable {
        /// By an explicit capture, except for cards that are captured on confirmation.
        case manualPreferred = "manual_preferred"
        /// Always by an explicit capture; cards captured on confirmation are refused.
        case manual
        /// By the provider, immediately.
        case automatic
    }

    /// The tipping prompt of a reader.
    public enum Tipping: Hashable, Sendable {
        /// No prompt.
        case none
        /// A prompt on the whole amount, as configured on the reader.
        case onWholeAmount
        /// A prompt on this part of the amount.
        case onPart(Money)
    }

    /// The preferred network for a co-branded card.
    public enum RoutingPriority: String, Hashable, Sendable, CaseIterable {
        case domestic
        case international
    }

    /// Creates parameters with defaults: card present, manual capture preferred, no tip.
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

    /// Metadata keys that are always sent with an intent.
    public enum MetadataKey {
        public static let order = "till_order"
        public static let account = "till_account"
        /// The reader's serial number.
        public static let reader = "till_reader"
        public static let readerModel = "till_reader_model"
    }

    /// Returns the metadata for the provider: the shop's own entries plus order, account and reader, which take
    /// precedence.
    public func metadata(account: AccountID, reader: CardReader?) -> [String: String] {
        var all = metadata
        all[MetadataKey.order] = order.rawValue
        all[MetadataKey.account] = account.rawValue
        all[MetadataKey.reader] = reader?.serial
        all[MetadataKey.readerModel] = reader?.readerType.rawValue
        return all
    }
}
