/// A definite no from a provider, with everything that support needs to follow it up.
public struct Decline: Hashable, Sendable {
    /// Our word for the reason.
    public var reason: DeclineReason
    /// The provider's own code, as sent.
    public var code: String?
    /// The provider's own sentence. For the shop's log; a customer sees ``DeclineReason/customerSentence``.
    public var message: String?
    /// The provider's request id.
    public var requestID: String?
    /// What may be shown of the card that was refused, where the provider reports it: a receipt names it, and a
    /// chip's results say why.
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

    /// The refusal of a step by a hold that others have captured, in the provider's dashboard or by another program.
    /// - Parameter amount: what they captured.
    public static func capturedElsewhere(_ amount: Money) -> Decline {
        Decline(reason: .alreadyCaptured, message: "captured elsewhere: \(amount)")
    }
}

/// Why a payment was declined, in our words. Open: a word that is not known keeps its raw value.
public struct DeclineReason: RawRepresentable, Hashable, Sendable {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not enough money on the account.
    public static let insufficientFunds = DeclineReason(rawValue: "insufficient_funds")
    public static let expiredCard = DeclineReason(rawValue: "expired_card")
    public static let incorrectPIN = DeclineReason(rawValue: "incorrect_pin")
    /// Wrong PIN too often.
    public static let tooManyPINTries = DeclineReason(rawValue: "too_many_pin_tries")
    /// The security code does not match.
    public static let incorrectCVC = DeclineReason(rawValue: "incorrect_cvc")
    public static let incorrectNumber = DeclineReason(rawValue: "incorrect_number")
    /// Lost, stolen, fraud and everything else that the cardholder must not learn.
    public static let fraud = DeclineReason(rawValue: "fraud")
    /// The card cannot be used for this kind of purchase or currency.
    public static let cardNotSupported = DeclineReason(rawValue: "card_not_supported")
    /// The provider does not take this amount or currency.
    public static let invalidAmount = DeclineReason(rawValue: "invalid_amount")
    /// The provider refused the request as such.
    public static let invalidRequest = DeclineReason(rawValue: "invalid_request")
    /// The bank has given no reason.
    public static let generic = DeclineReason(rawValue: "generic_decline")
    /// The authorization is too old.
    public static let authorizationExpired = DeclineReason(rawValue: "authorization_expired")

    /// The money was refunded already, and not by us: in the provider's dashboard, or by another program.
    public static let alreadyRefunded = DeclineReason(rawValue: "already_refunded")
    /// The money was captured already, and not by this call.
    public static let alreadyCaptured = DeclineReason(rawValue: "already_captured")
    /// The provider has less left of the payment than was asked for: it may have been captured, released or refunded
    /// elsewhere.
    public static let nothingLeft = DeclineReason(rawValue: "nothing_left")
    /// The customer's bank disputes the payment: any refund is decided there.
    public static let disputed = DeclineReason(rawValue: "disputed")

    /// Canceled at the reader, by the customer or by the shop.
    public static let canceledAtReader = DeclineReason(rawValue: "canceled_at_reader")
    /// Nobody presented a card in time.
    public static let noCardPresented = DeclineReason(rawValue: "no_card_presented")
    /// The reader is busy, off, or out of order.
    public static let readerUnavailable = DeclineReason(rawValue: "reader_unavailable")
    /// The reader is busy with something else.
    public static let readerBusy = DeclineReason(rawValue: "reader_busy")
    /// The reader is off or not on the network.
    public static let readerOffline = DeclineReason(rawValue: "reader_offline")
    /// The reader is out of order.
    public static let readerFault = DeclineReason(rawValue: "reader_fault")
    /// The reader stands in a country where this payment cannot be taken.
    public static let readerInOtherCountry = DeclineReason(rawValue: "reader_in_other_country")
    /// The refund can only be made to the card itself, at a reader.
    public static let refundNeedsReader = DeclineReason(rawValue: "refund_needs_reader")

    /// What the customer may see. Fraud-like reasons get the same neutral sentence as a generic decline, so that
    /// a thief learns nothing and an honest customer is not accused.
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
        case .alreadyCaptured, .alreadyRefunded, .nothingLeft, .disputed:
            "The payment could not be made now. Do not pay again before the shop has checked it."
        default: "The card was declined. Nothing was charged. Use another way to pay."
        }
    }

    /// What to do next, for the people at the counter; `nil` where ``customerSentence`` says it already.
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
        case .alreadyCaptured, .alreadyRefunded, .nothingLeft, .disputed: "Check the payment at the provider."
        default: nil
        }
    }

    /// The same for a refund: what happened, that nothing was refunded, and what to do next.
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

    /// It ended before a card's issuer was asked: there is no card that a receipt could name.
    public var isWithoutCard: Bool {
        switch self {
        case .canceledAtReader, .noCardPresented, .readerUnavailable, .readerBusy, .readerOffline, .readerFault,
            .readerInOtherCountry, .refundNeedsReader:
            true
        default: false
        }
    }
}
