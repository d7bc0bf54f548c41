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

    /// Makes one.
    public init(reason: DeclineReason, code: String? = nil, message: String? = nil, requestID: String? = nil) {
        self.reason = reason
        self.code = code
        self.message = message
        self.requestID = requestID
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
    /// Expired card.
    public static let expiredCard = DeclineReason(rawValue: "expired_card")
    /// Wrong PIN.
    public static let incorrectPIN = DeclineReason(rawValue: "incorrect_pin")
    /// Wrong PIN too often.
    public static let tooManyPINTries = DeclineReason(rawValue: "too_many_pin_tries")
    /// The security code does not fit.
    public static let incorrectCVC = DeclineReason(rawValue: "incorrect_cvc")
    /// Wrong number.
    public static let incorrectNumber = DeclineReason(rawValue: "incorrect_number")
    /// Lost, stolen, fraud and all that must not be told to the person with the card.
    public static let fraud = DeclineReason(rawValue: "fraud")
    /// The card can not be used for this kind of purchase or currency.
    public static let cardNotSupported = DeclineReason(rawValue: "card_not_supported")
    /// The provider does not take this amount or currency.
    public static let invalidAmount = DeclineReason(rawValue: "invalid_amount")
    /// The provider refused the request as such.
    public static let invalidRequest = DeclineReason(rawValue: "invalid_request")
    /// No reason given.
    public static let generic = DeclineReason(rawValue: "generic_decline")
    /// The authorization is too old.
    public static let authorizationExpired = DeclineReason(rawValue: "authorization_expired")

    /// Called off at the reader, by the customer or by the shop.
    public static let canceledAtReader = DeclineReason(rawValue: "canceled_at_reader")
    /// Nobody presented a card in time.
    public static let noCardPresented = DeclineReason(rawValue: "no_card_presented")
    /// The reader is busy, off, or out of order.
    public static let readerUnavailable = DeclineReason(rawValue: "reader_unavailable")
    /// The refund can only be made to the card itself, at a reader.
    public static let refundNeedsReader = DeclineReason(rawValue: "refund_needs_reader")

    /// What the customer may be told. Fraud-like reasons get the same neutral sentence as a generic decline, so that
    /// a thief learns nothing and an honest customer is not accused.
    public var customerSentence: String {
        switch self {
        case .insufficientFunds: "The card was declined: not enough funds. Nothing was charged."
        case .expiredCard: "The card was declined: it has expired. Nothing was charged."
        case .incorrectPIN: "The PIN was wrong. Nothing was charged."
        case .tooManyPINTries: "The PIN was wrong too often. Nothing was charged. Use another card."
        case .incorrectCVC: "The security code was not accepted. Nothing was charged."
        case .incorrectNumber: "The card number was not accepted. Nothing was charged."
        case .cardNotSupported: "This card can not be used here. Nothing was charged. Use another card."
        case .canceledAtReader: "The payment was called off. Nothing was charged."
        case .noCardPresented: "No card was presented in time. Nothing was charged."
        case .readerUnavailable: "The card reader is busy or can not be reached. Nothing was charged."
        case .refundNeedsReader: "This refund needs the card and a reader. Nothing was given back."
        case .invalidAmount, .invalidRequest: "The payment could not be made. Nothing was charged."
        default: "The card was declined. Nothing was charged. Use another way to pay."
        }
    }
}
