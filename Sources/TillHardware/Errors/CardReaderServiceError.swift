public import TillCore

/// What went wrong with a reader: the interaction that failed (the case), why, and all that is known about it.
///
/// Every interaction of a service throws its own case, so that a caller can tell from the case what part of the
/// process went wrong and from ``underlyingError`` why; ``details`` keeps what the provider said, unchanged.
public enum CardReaderServiceError: ExplainedError, Hashable {
    case discovery(underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    case connection(underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Releasing a reader, or forgetting everything.
    case disconnection(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Making the intent. No card was asked for and no money.
    case intentCreation(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Collecting a card. No money was asked for.
    case paymentMethod(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Asking for the money. Only here ``moneyMoved`` can be `unknown` for a payment.
    case capturePayment(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Canceling a payment, which is refused once money is being asked for.
    case paymentCancellation(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Trying the active payment once more.
    case retryNotPossible(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Preparing a refund. No money was refunded.
    case refundCreation(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    case refundPayment(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Canceling a refund while it waits for the card.
    case refundCancellation(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    case softwareUpdate(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Giving up on a reader that went away.
    case reconnectionCancellation(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Showing something on the reader.
    case readerDisplay(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)

    /// The interaction that failed, without the reason.
    public enum Interaction: String, Hashable, Sendable, CaseIterable {
        case discovery, connection, disconnection
        case intentCreation = "intent_creation"
        case paymentMethod = "payment_method"
        case capturePayment = "capture_payment"
        case paymentCancellation = "payment_cancellation"
        case retryNotPossible = "retry_not_possible"
        case refundCreation = "refund_creation"
        case refundPayment = "refund_payment"
        case refundCancellation = "refund_cancellation"
        case softwareUpdate = "software_update"
        case reconnectionCancellation = "reconnection_cancellation"
        case readerDisplay = "reader_display"
    }

    /// Makes the case of an interaction.
    /// - Parameter raw: the provider's own sentence, if there is nothing else to keep.
    public init(
        _ interaction: Interaction, _ error: UnderlyingError, details: CardReaderErrorDetails = .none,
        raw: String? = nil
    ) {
        var details = details
        if let raw { details.message = raw }
        switch interaction {
        case .discovery: self = .discovery(underlyingError: error, details: details)
        case .connection: self = .connection(underlyingError: error, details: details)
        case .disconnection: self = .disconnection(underlyingError: error, details: details)
        case .intentCreation: self = .intentCreation(underlyingError: error, details: details)
        case .paymentMethod: self = .paymentMethod(underlyingError: error, details: details)
        case .capturePayment: self = .capturePayment(underlyingError: error, details: details)
        case .paymentCancellation: self = .paymentCancellation(underlyingError: error, details: details)
        case .retryNotPossible: self = .retryNotPossible(underlyingError: error, details: details)
        case .refundCreation: self = .refundCreation(underlyingError: error, details: details)
        case .refundPayment: self = .refundPayment(underlyingError: error, details: details)
        case .refundCancellation: self = .refundCancellation(underlyingError: error, details: details)
        case .softwareUpdate: self = .softwareUpdate(underlyingError: error, details: details)
        case .reconnectionCancellation: self = .reconnectionCancellation(underlyingError: error, details: details)
        case .readerDisplay: self = .readerDisplay(underlyingError: error, details: details)
        }
    }

    /// What a driver's failure means in an interaction.
    public init(_ interaction: Interaction, _ failure: CardReaderFailure) {
        self.init(interaction, failure.underlyingError, details: failure.details)
    }

    private var parts: (Interaction, UnderlyingError, CardReaderErrorDetails) {
        switch self {
        case .discovery(let error, let details): (.discovery, error, details)
        case .connection(let error, let details): (.connection, error, details)
        case .disconnection(let error, let details): (.disconnection, error, details)
        case .intentCreation(let error, let details): (.intentCreation, error, details)
        case .paymentMethod(let error, let details): (.paymentMethod, error, details)
        case .capturePayment(let error, let details): (.capturePayment, error, details)
        case .paymentCancellation(let error, let details): (.paymentCancellation, error, details)
        case .retryNotPossible(let error, let details): (.retryNotPossible, error, details)
        case .refundCreation(let error, let details): (.refundCreation, error, details)
        case .refundPayment(let error, let details): (.refundPayment, error, details)
        case .refundCancellation(let error, let details): (.refundCancellation, error, details)
        case .softwareUpdate(let error, let details): (.softwareUpdate, error, details)
        case .reconnectionCancellation(let error, let details): (.reconnectionCancellation, error, details)
        case .readerDisplay(let error, let details): (.readerDisplay, error, details)
        }
    }

    /// The interaction that failed.
    public var interaction: Interaction { parts.0 }
    public var underlyingError: UnderlyingError { parts.1 }
    /// What the provider said, and what is known about the money.
    public var details: CardReaderErrorDetails { parts.2 }
}

extension CardReaderServiceError {
    /// `reader_` and the reason.
    public var code: String { "reader_\(underlyingError.rawValue)" }

    /// The reason as a sentence.
    public var what: String {
        let (_, error, details) = parts
        if let decline = details.decline, error.isDecline {
            return "The card was declined (\(decline.code ?? decline.reason.rawValue))."
        }
        return details.sentence ?? error.sentence ?? details.message ?? "The card reader failed (\(error.rawValue))."
    }

    /// Known to have moved, known not to, or not known. Only asking for money and refunding it can move any.
    public var moneyMoved: MoneyMoved {
        let (interaction, error, details) = parts
        if let known = details.moneyMoved { return known }
        switch interaction {
        case .capturePayment, .refundPayment: return error.leavesOutcomeOpen ? .unknown : .no
        default: return .no
        }
    }

    /// What a program may do about it.
    public var retry: CardReaderRetry {
        let (interaction, error, _) = parts
        if moneyMoved == .unknown { return .confirmOriginal }
        if moneyMoved == .yes { return .no }
        switch interaction {
        case .retryNotPossible, .paymentCancellation, .refundCancellation, .reconnectionCancellation: return .no
        case .paymentMethod, .capturePayment:
            return error.retry == .startAgain ? .sameIntent : error.retry
        default: return error.retry
        }
    }

    /// What a person should do, one sentence.
    public var next: String {
        if moneyMoved == .unknown {
            return parts.0 == .refundPayment
                ? "Do not refund another way; look up the refund first."
                : "Do not take another payment; try this one again, or look up the order."
        }
        return parts.1.next
    }

    /// What the customer may see. Lost, stolen and fraud-like cards get the same sentence as any other decline.
    public var customerSentence: String {
        if let decline = parts.2.decline, underlyingError.isDecline { return decline.reason.customerSentence }
        return moneyMoved == .unknown ? "Please wait: the payment is being checked." : what
    }
}
