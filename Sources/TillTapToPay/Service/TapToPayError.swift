public import TillCore

/// The reason that a tap did not become a payment. Once the provider was asked, the answer is a
/// ``TapToPayService/PaymentResult`` and not an error, so no money moved in any of these.
public enum TapToPayError: ExplainedError, Hashable {
    /// ``TapToPayService/initialize()`` was not called, or has not succeeded.
    case notInitialized
    /// Another charge is in progress.
    case busy
    /// The card returned no data to send.
    case noCardData
    /// More than ``TapToPayDeadlines/ciphertext`` passed between the read and the request to the provider.
    case cardDataTooOld
    /// The task was canceled before the provider was asked.
    case canceled
    /// No reader token was available.
    case noReaderToken(String)
    /// The payment could not be recorded, so no card was read.
    case notOpened(String)
    /// The reader could not be linked or prepared.
    case reader(PaymentCardReaderError)
    /// The card was not read.
    case read(PaymentCardReaderSession.ReadError)
    /// The card could not be looked up or stored.
    case notVerified(String)

    /// A machine-readable code, stable across releases.
    public var code: String {
        switch self {
        case .notInitialized: "not_initialized"
        case .busy: "busy"
        case .noCardData: "no_card_data"
        case .cardDataTooOld: "card_data_too_old"
        case .canceled: "cancelled"
        case .noReaderToken: "no_reader_token"
        case .notOpened: "payment_not_opened"
        case .reader(let error): error.code
        case .read(let error): error.code
        case .notVerified: "card_not_verified"
        }
    }

    /// A one-sentence description.
    public var what: String {
        switch self {
        case .notInitialized: "The reader was not set up."
        case .busy: "Another charge is in progress."
        case .noCardData: "The card gave nothing that could be sent to the provider."
        case .cardDataTooOld: "The card's data came too late to be sent."
        case .canceled: "The charge was canceled before the provider was asked."
        case .noReaderToken(let reason): "The payment provider gave no reader token (\(reason))."
        case .notOpened(let reason): "The payment could not be started (\(reason))."
        case .reader(let error): error.what
        case .read(let error): error.what
        case .notVerified(let reason): "The provider did not take the card (\(reason))."
        }
    }

    /// Never: the provider was not asked to charge.
    public var moneyMoved: MoneyMoved { .no }

    /// The next step, in one sentence.
    public var next: String {
        switch self {
        case .notInitialized: "Set it up, then charge."
        case .busy: "Wait until that is done."
        case .noCardData, .cardDataTooOld: "Present the card again."
        case .canceled: "Begin again when ready."
        case .noReaderToken: "Check the connection and the provider's account, then try again."
        case .notOpened: "Try again; if that does not help, check the journal."
        case .reader(let error): error.next
        case .read(let error): error.next
        case .notVerified: "Try again, or take another card."
        }
    }
}
