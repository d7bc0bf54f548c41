public import TillCore

/// An error of a reader service: the interaction that failed (the case), the reason, and all known details.
///
/// Every interaction of a service throws its own case, so that the case identifies the step that failed and
/// ``underlyingError`` the reason; ``details`` keeps the provider's report unchanged.
public enum CardReaderServiceError: ExplainedError, Hashable {
    case discovery(underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    case connection(underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Releasing a reader, or clearing the service.
    case disconnection(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Creating the intent. No card was collected and nothing confirmed.
    case intentCreation(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Collecting a card. Nothing was confirmed.
    case paymentMethod(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Confirming the payment. The only payment step in which ``moneyMoved`` can be `unknown`.
    case capturePayment(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Canceling a payment, which is refused once it is being confirmed.
    case paymentCancellation(
        underlyingError: UnderlyingError = .internalServiceError, details: CardReaderErrorDetails = .none)
    /// Retrying the active payment.
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
    /// Stopping a reconnection.
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

    /// Creates the error of an interaction.
    /// - Parameter raw: the provider's own message, if there is nothing else to keep.
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

    /// Creates the error for a driver's failure in an interaction.
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
    /// The details reported by the provider, and the known state of the money.
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

    /// The movement of money: known to have moved, known not to, or unknown. Only a confirmation and a refund can move
    /// any.
    public var moneyMoved: MoneyMoved {
        let (interaction, error, details) = parts
        if let known = details.moneyMoved { return known }
        switch interaction {
        case .capturePayment, .refundPayment: return error.leavesOutcomeOpen ? .unknown : .no
        default: return .no
        }
    }

    /// The program's options after this error.
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

    /// The instruction for the user, in one sentence.
    public var next: String {
        if moneyMoved == .unknown {
            return parts.0 == .refundPayment
                ? "Do not refund another way; look up the refund first."
                : "Do not take another payment; try this one again, or look up the order."
        }
        return parts.1.next
    }

    /// The sentence for the customer. Lost, stolen and suspected-fraud cards get the same sentence as any other
    /// decline.
    public var customerSentence: String {
        if let decline = parts.2.decline, underlyingError.isDecline { return decline.reason.customerSentence }
        return moneyMoved == .unknown ? "Please wait: the payment is being checked." : what
    }
}
