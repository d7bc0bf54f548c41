public import TillCore

/// What is known about a failure beside its reason. Nothing that the provider said is dropped.
public struct CardReaderErrorDetails: Hashable, Sendable {
    /// The provider's code: a number of its kit or a word of its interface. Kept also if Till does not know it.
    public var providerCode: CardReaderProviderCode?
    /// The provider's own sentence. For the shop's log.
    public var message: String?
    /// Till's own sentence, if it can say more than the reason's default sentence, such as a number that was not met.
    public var sentence: String?
    /// The decline, with its code, if it was one.
    public var decline: Decline?
    /// The provider's request id.
    public var requestID: String?
    /// The HTTP status, if there was one.
    public var httpStatus: Int?
    /// The intent that it is about.
    public var intent: ProviderReference?
    /// What was collected before it failed. A declined Interac payment has a receipt too.
    public var paymentMethod: PaymentMethod?
    /// Whether money moved, if that is known better than the reason tells.
    public var moneyMoved: MoneyMoved?
    /// How full the reader's battery was, in percent.
    public var batteryPercent: Int?
    /// How full it must be, in percent.
    public var requiredBatteryPercent: Int?
    /// Who canceled a command.
    public var canceledBy: CardReaderCanceler?

    public init() {}

    public static let none = CardReaderErrorDetails()
}

/// Who canceled a command.
public enum CardReaderCanceler: String, Hashable, Sendable {
    case app
    /// The customer, at the reader.
    case reader
    case unknown
}

/// A provider's code as it came.
public enum CardReaderProviderCode: Hashable, Sendable, CustomStringConvertible {
    /// A number of the provider's kit for readers.
    case sdk(Int)
    /// A word of the provider's interface, such as `terminal_reader_busy`.
    case api(String)

    /// As in logs: `sdk 3010`, `terminal_reader_busy`.
    public var description: String {
        switch self {
        case .sdk(let number): "sdk \(number)"
        case .api(let word): word
        }
    }
}

/// What a driver throws. A service makes a ``CardReaderServiceError`` of it, with the interaction that it was in.
public struct CardReaderFailure: Error, Hashable, Sendable {
    public var underlyingError: UnderlyingError
    /// What the provider said.
    public var details: CardReaderErrorDetails
    /// The intent as the provider has it after the failure, if it said so. When a confirmation fails without one,
    /// its outcome is unknown.
    public var intent: PaymentIntent?
    /// The refund as the provider has it after the failure, if it said so. When a refund fails without one,
    /// its outcome is unknown.
    public var refund: CardReaderRefund?

    public init(
        _ underlyingError: UnderlyingError, details: CardReaderErrorDetails = .none, message: String? = nil,
        intent: PaymentIntent? = nil, refund: CardReaderRefund? = nil
    ) {
        self.underlyingError = underlyingError
        self.details = details
        if let message { self.details.sentence = message }
        self.intent = intent
        self.refund = refund
    }
}
