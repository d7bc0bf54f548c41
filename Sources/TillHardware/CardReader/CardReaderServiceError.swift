public import TillCore

/// What went wrong with a reader: the interaction that failed, why, and the reader's own words for it.
public struct CardReaderServiceError: ExplainedError, Hashable {
    /// The interaction that failed.
    public enum Interaction: String, Hashable, Sendable {
        /// Finding readers.
        case discovery
        /// Connecting one.
        case connection
        /// Letting one go.
        case disconnection
        /// Preparing the reader for an amount.
        case intentCreation = "intent_creation"
        /// Collecting a card.
        case paymentMethod = "payment_method"
        /// Calling off a collection.
        case paymentCancellation = "payment_cancellation"
    }

    /// The interaction that failed.
    public let interaction: Interaction
    /// Why it failed.
    public let underlyingError: UnderlyingError
    /// The reader's own code or sentence, if it gave one.
    public let raw: String?

    /// Makes one.
    public init(_ interaction: Interaction, _ underlyingError: UnderlyingError, raw: String? = nil) {
        self.interaction = interaction
        self.underlyingError = underlyingError
        self.raw = raw
    }

    /// `reader_` and the reason.
    public var code: String { "reader_\(underlyingError.rawValue)" }
    /// The reason as a sentence.
    public var what: String {
        underlyingError.sentence ?? raw ?? "The card reader failed (\(underlyingError.rawValue))."
    }
    /// Never: a reader collects, a provider moves the money.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String {
        switch interaction {
        case .discovery, .connection, .disconnection: "Check that the reader is on and near, then connect it again."
        case .intentCreation: "Use a card and a reader that take this amount and currency."
        case .paymentMethod, .paymentCancellation: "Present the card again or pay in another way."
        }
    }
}

/// Why an interaction with a reader failed. Open: a reason that is not known keeps its raw value.
public struct UnderlyingError: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// No reader is connected.
    public static let notConnected = UnderlyingError(rawValue: "not_connected")
    /// Another collection or discovery is running.
    public static let busy = UnderlyingError(rawValue: "busy")
    /// Called off by the shop or the customer.
    public static let commandCanceled = UnderlyingError(rawValue: "canceled")
    /// Nobody presented a card in time.
    public static let requestTimedOut = UnderlyingError(rawValue: "timed_out")
    /// The card was taken out too early.
    public static let cardRemoved = UnderlyingError(rawValue: "card_removed")
    /// The card can not pay in this currency.
    public static let currencyNotSupported = UnderlyingError(rawValue: "currency_not_supported")
    /// The amount is nothing that can be collected.
    public static let invalidAmount = UnderlyingError(rawValue: "invalid_amount")
    /// No such reader was discovered.
    public static let readerNotFound = UnderlyingError(rawValue: "reader_not_found")
    /// The reader can not say why.
    public static let internalServiceError = UnderlyingError(rawValue: "internal_service_error")

    var sentence: String? {
        switch self {
        case .notConnected: "No card reader is connected."
        case .busy: "The card reader is busy with something else."
        case .commandCanceled: "The payment was called off at the reader."
        case .requestTimedOut: "No card was presented in time."
        case .cardRemoved: "The card was removed too early."
        case .currencyNotSupported: "This card can not pay in this currency."
        case .invalidAmount: "The amount must be more than zero."
        case .readerNotFound: "There is no such card reader."
        default: nil
        }
    }
}
