public import TillCore

/// The details of a failure beside its reason. Everything that the provider reported is kept.
public struct CardReaderErrorDetails: Hashable, Sendable {
    /// The provider's code: a number of its SDK or a word of its API. Kept even if unknown to Till.
    public var providerCode: CardReaderProviderCode?
    /// The provider's own message. For the shop's log.
    public var message: String?
    /// Till's own sentence, if it is more specific than the reason's default, such as a limit that was not met.
    public var sentence: String?
    /// The decline, with its code, if it was one.
    public var decline: Decline?
    /// The provider's request id.
    public var requestID: String?
    /// The HTTP status, if there was one.
    public var httpStatus: Int?
    /// The intent concerned.
    public var intent: ProviderReference?
    /// The payment method collected before the failure. A declined Interac payment has a receipt too.
    public var paymentMethod: PaymentMethod?
    /// The movement of money, if known more precisely than the reason implies.
    public var moneyMoved: MoneyMoved?
    /// The reader's battery level, in percent.
    public var batteryPercent: Int?
    /// The required battery level, in percent.
    public var requiredBatteryPercent: Int?
    /// The party that canceled a command.
    public var canceledBy: CardReaderCanceler?

    public init() {}

    public static let none = CardReaderErrorDetails()
}

/// The party that canceled a command.
public enum CardReaderCanceler: String, Hashable, Sendable {
    case app
    /// The customer, at the reader.
    case reader
    case unknown
}

/// A provider's code, unchanged.
public enum CardReaderProviderCode: Hashable, Sendable, CustomStringConvertible {
    /// A number of the provider's reader SDK.
    case sdk(Int)
    /// A word of the provider's API, such as `terminal_reader_busy`.
    case api(String)

    /// As in logs: `sdk 3010`, `terminal_reader_busy`.
    public var description: String {
        switch self {
        case .sdk(let number): "sdk \(number)"
        case .api(let word): word
        }
    }
}

/// An error thrown by a driver. A service converts it to a ``CardReaderServiceError`` with the interaction that failed.
public struct CardReaderFailure: Error, Hashable, Sendable {
    public var underlyingError: UnderlyingError
    /// The details reported by the provider.
    public var details: CardReaderErrorDetails
    /// The intent after the failure, if the provider reported it. When a confirmation fails without one, its outcome is
    /// unknown.
    public var intent: PaymentIntent?
    /// The refund after the failure, if the provider reported it. When a refund fails without one, its outcome is
    /// unknown.
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
