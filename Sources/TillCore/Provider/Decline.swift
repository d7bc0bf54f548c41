/// A definite refusal by a provider, with the details that support needs to follow it up.
public struct Decline: Hashable, Sendable {
    /// The reason, as classified by Till.
    public var reason: DeclineReason
    /// The provider's own code, unmodified.
    public var code: String?
    /// The provider's own message. For the shop's log; a customer sees ``DeclineReason/customerSentence``.
    public var message: String?
    /// The provider's request identifier.
    public var requestID: String?
    /// The displayable data of the declined card, if the provider reports it: a receipt names the card, and a chip's
    /// results explain the refusal.
    public var card: CardSummary?

    public init(
        reason: DeclineReason, code: String? = nil, message: String? = nil, requestID: String? = nil,
        card: CardSummary? = nil
    ) {
        self.reason = reason
        self.code = code
        self.message = message
        self.requestID = requestID
        self.card = card
    }

    /// Creates the decline of an operation because the hold was captured externally, in the provider's dashboard or by
    /// another program.
    /// - Parameter amount: The amount captured externally.
    public static func capturedElsewhere(_ amount: Money) -> Decline {
        Decline(reason: .alreadyCaptured, message: "captured elsewhere: \(amount)")
    }
}

/// The reason for which a payment was declined, as classified by Till. Open: an unknown reason keeps its raw value.
public struct DeclineReason: RawRepresentable, Hashable, Sendable {
    /// The identifier's text, unmodified.
    public let rawValue: String
    /// Wraps the text without validating it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Insufficient funds.
    public static let insufficientFunds = DeclineReason(rawValue: "insufficient_funds")
    public static let expiredCard = DeclineReason(rawValue: "expired_card")
    public static let incorrectPIN = DeclineReason(rawValue: "incorrect_pin")
    /// Too many wrong PIN entries.
    public static let tooManyPINTries = DeclineReason(rawValue: "too_many_pin_tries")
    /// The security code does not match.
    public static let incorrectCVC = DeclineReason(rawValue: "incorrect_cvc")
    public static let incorrectNumber = DeclineReason(rawValue: "incorrect_number")
    /// Lost, stolen, fraud and every other reason that must not be disclosed to the cardholder.
    public static let fraud = DeclineReason(rawValue: "fraud")
    /// The card cannot be used for this kind of purchase or currency.
    public static let cardNotSupported = DeclineReason(rawValue: "card_not_supported")
    /// The provider does not accept this amount or currency.
    public static let invalidAmount = DeclineReason(rawValue: "invalid_amount")
    /// The provider rejected the request itself.
    public static let invalidRequest = DeclineReason(rawValue: "invalid_request")
    /// The provider does not take this kind of payment from the shop's account, which has to be opened for it.
    public static let notEnabled = DeclineReason(rawValue: "not_enabled")
    /// The issuer gave no reason.
    public static let generic = DeclineReason(rawValue: "generic_decline")
    /// The authorization is too old.
    public static let authorizationExpired = DeclineReason(rawValue: "authorization_expired")

    /// The money was already refunded outside Till: in the provider's dashboard, or by another program.
    public static let alreadyRefunded = DeclineReason(rawValue: "already_refunded")
    /// The money was already captured by another call.
    public static let alreadyCaptured = DeclineReason(rawValue: "already_captured")
    /// The provider has less left of the payment than requested: it may have been captured, released or refunded
    /// externally.
    public static let nothingLeft = DeclineReason(rawValue: "nothing_left")
    /// The payment is disputed: any refund is decided in the dispute.
    public static let disputed = DeclineReason(rawValue: "disputed")

    /// Canceled at the reader, by the customer or by the shop.
    public static let canceledAtReader = DeclineReason(rawValue: "canceled_at_reader")
    /// No card was presented in time.
    public static let noCardPresented = DeclineReason(rawValue: "no_card_presented")
    /// The reader is busy, off, or out of order.
    public static let readerUnavailable = DeclineReason(rawValue: "reader_unavailable")
    /// The reader is busy with another operation.
    public static let readerBusy = DeclineReason(rawValue: "reader_busy")
    /// The reader is off or not on the network.
    public static let readerOffline = DeclineReason(rawValue: "reader_offline")
    /// The reader is out of order.
    public static let readerFault = DeclineReason(rawValue: "reader_fault")
    /// The reader is located in a country where this payment is not supported.
    public static let readerInOtherCountry = DeclineReason(rawValue: "reader_in_other_country")
    /// The refund can only be made to the card itself, at a reader.
    public static let refundNeedsReader = DeclineReason(rawValue: "refund_needs_reader")

    /// The sentence shown to the customer. Fraud-like reasons get the same neutral sentence as a generic decline, so
    /// that a thief learns nothing and an honest customer is not accused.
    public var customerSentence: String {
        switch self {
        case .insufficientFunds: "The card was declined: not enough funds. Nothing was charged."
        case .expiredCard: "The card was declined: it has expired. Nothing was charged."
        case .incorrectPIN: "The PIN was wrong. Nothing was charged."
        case .tooManyPINTries: "The PIN was wrong too many times. Nothing was charged. Use another card."
        case .incorrectCVC: "The security code was not accepted. Nothing was charged."
        case .incorrectNumber: "The card number was not accepted. Nothing was charged."
        case .cardNotSupported: "This card cannot be used here. Nothing was charged. Use another card."
        case .canceledAtReader: "The payment was canceled. Nothing was charged."
        case .noCardPresented: "No card was presented in time. Nothing was charged."
        case .readerUnavailable: "The card reader is busy or cannot be reached. Nothing was charged."
        case .readerBusy: "The card reader is busy with something else. Nothing was charged."
        case .readerOffline: "The card reader cannot be reached. Nothing was charged."
        case .readerFault: "The card reader is out of order. Nothing was charged."
        case .readerInOtherCountry: "This card reader cannot take this payment in its location. Nothing was charged."
        case .refundNeedsReader: "This refund needs the card and a reader. Nothing was refunded."
        case .invalidAmount, .invalidRequest: "The payment could not be made. Nothing was charged."
        case .notEnabled: "This shop cannot take this payment now. Nothing was charged. Use another way to pay."
        case .alreadyCaptured, .alreadyRefunded, .nothingLeft, .disputed:
            "The payment could not be made now. Do not pay again before the shop has checked it."
        default: "The card was declined. Nothing was charged. Use another way to pay."
        }
    }

    /// The recommended next step for counter staff; `nil` if ``customerSentence`` already contains it.
    public var nextStep: String? {
        switch self {
        case .insufficientFunds, .expiredCard: "Use another card."
        case .incorrectPIN, .incorrectCVC, .incorrectNumber: "Try again, or use another card."
        case .canceledAtReader: "Charge again if it is still wanted."
        case .noCardPresented: "Charge again once the customer is there."
        case .readerUnavailable: "Check the reader, then try again."
        case .readerBusy: "Wait until it is done or cancel it, or use another reader."
        case .readerOffline: "Check that it is on and connected to the network, or use another reader."
        case .readerFault: "Restart it, or use another reader."
        case .readerInOtherCountry: "Use a reader in the country of the payment's currency."
        case .refundNeedsReader: "Make the refund at a reader, with the card."
        case .invalidAmount, .invalidRequest: "Take another amount or another way to pay."
        case .notEnabled: "Ask the provider to open this kind of payment for the account."
        case .alreadyCaptured, .alreadyRefunded, .nothingLeft, .disputed: "Check the payment at the provider."
        default: nil
        }
    }

    /// The sentence for a declined refund: what happened, that nothing was refunded, and what to do next.
    public var refundSentence: String {
        switch self {
        case .canceledAtReader: "The refund was canceled. Nothing was refunded. Start it again if it is still due."
        case .noCardPresented:
            "No card was presented in time. Nothing was refunded. Start again once the customer is there."
        case .refundNeedsReader:
            "This refund needs the card and a reader. Nothing was refunded. Start it at a reader, with the card."
        case .cardNotSupported:
            "This card cannot take the refund. Nothing was refunded. Present the card that paid."
        case .readerBusy, .readerOffline, .readerFault, .readerUnavailable, .readerInOtherCountry:
            "The card reader cannot do it now. Nothing was refunded. \(nextStep ?? "Use another reader.")"
        case .alreadyRefunded:
            "The money was refunded already, outside of Till. This refund moved nothing. Do not refund it another way; "
                + "check the payment at the provider."
        case .nothingLeft:
            "The provider has less left of the payment than was to be refunded. This refund moved nothing. It may "
                + "have been refunded elsewhere: check the payment at the provider before you refund it another way."
        case .disputed:
            "The customer's bank disputes the payment. This refund moved nothing. Do not refund it another way: answer "
                + "the dispute at the provider."
        default: "The refund was refused. Nothing was refunded. Check the payment, then refund it another way."
        }
    }

    /// `true` if the payment ended before a card's issuer was involved, so that a receipt has no card to name.
    public var isWithoutCard: Bool {
        switch self {
        case .canceledAtReader, .noCardPresented, .readerUnavailable, .readerBusy, .readerOffline, .readerFault,
            .readerInOtherCountry, .refundNeedsReader:
            true
        default: false
        }
    }
}
