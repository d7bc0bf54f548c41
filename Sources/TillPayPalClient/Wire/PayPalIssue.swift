public import TillCore

/// What exactly PayPal refuses. Open: an issue that is not in the catalogue keeps its raw value.
public struct PayPalIssue: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// As PayPal spells it, such as `CARD_EXPIRED`.
    public let rawValue: String
    /// Takes the word as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// What can be done about an issue.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The customer uses another card.
        case otherCard = "other_card"
        /// The customer corrects what was typed.
        case fixField = "fix_field"
        /// The customer must do something first.
        case payerAction = "payer_action"
        /// It was done before: look at the resource, then take it as success.
        case alreadyDone = "already_done"
        /// Too late, too often or too much.
        case limit
        /// The shop's PayPal account is not set up for it.
        case account
        /// Send the same request with the same key again.
        case retrySameKey = "retry_same_key"
        /// Our request is wrong.
        case merchantFault = "merchant_fault"
        /// PayPal has added it since: nothing is known of it here.
        case unknown
    }

    /// What can be done about it.
    public var kind: Kind { PayPalIssue.catalogue[rawValue] ?? .unknown }
    /// All issues that are known.
    public static var known: [PayPalIssue] { catalogue.keys.sorted().map { PayPalIssue(rawValue: $0) } }

    /// A call with this key is still running.
    public static let previousRequestInProgress = PayPalIssue(rawValue: "PREVIOUS_REQUEST_IN_PROGRESS")
    /// The order is being completed.
    public static let orderCompletionInProgress = PayPalIssue(rawValue: "ORDER_COMPLETION_IN_PROGRESS")
    /// The order was captured before.
    public static let orderAlreadyCaptured = PayPalIssue(rawValue: "ORDER_ALREADY_CAPTURED")
    /// The order was authorized before.
    public static let orderAlreadyAuthorized = PayPalIssue(rawValue: "ORDER_ALREADY_AUTHORIZED")
    /// The customer must do something first.
    public static let payerActionRequired = PayPalIssue(rawValue: "PAYER_ACTION_REQUIRED")
    /// The card's month is over.
    public static let cardExpired = PayPalIssue(rawValue: "CARD_EXPIRED")
    /// The card was declined.
    public static let instrumentDeclined = PayPalIssue(rawValue: "INSTRUMENT_DECLINED")
    /// The hold has ended.
    public static let authorizationExpired = PayPalIssue(rawValue: "AUTHORIZATION_EXPIRED")
    /// The hold was voided.
    public static let authorizationVoided = PayPalIssue(rawValue: "AUTHORIZATION_VOIDED")

    /// Our word for it, as a reason why a payment did not happen.
    public var declineReason: DeclineReason {
        switch rawValue {
        case "CARD_EXPIRED", "INVALID_EXPIRY_DATE", "CARD_EXPIRY_REQUIRED", "REFERENCED_CARD_EXPIRED":
            return .expiredCard
        case "INVALID_SECURITY_CODE_LENGTH": return .incorrectCVC
        case "CARD_NUMBER_REQUIRED", "PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED": return .incorrectNumber
        case "CARD_TYPE_NOT_SUPPORTED", "CARD_BRAND_NOT_SUPPORTED", "PAYMENT_SOURCE_CANNOT_BE_USED",
            "CURRENCY_NOT_SUPPORTED_FOR_CARD_TYPE", "DOMESTIC_TRANSACTION_REQUIRED":
            return .cardNotSupported
        case "TRANSACTION_REFUSED", "COMPLIANCE_VIOLATION", "TRANSACTION_BLOCKED_BY_PAYEE": return .fraud
        case "AUTHORIZATION_EXPIRED", "AUTHORIZATION_VOIDED": return .authorizationExpired
        case "DECIMAL_PRECISION", "DECIMALS_NOT_SUPPORTED", "CANNOT_BE_ZERO_OR_NEGATIVE", "MAX_VALUE_EXCEEDED",
            "REFUND_AMOUNT_EXCEEDED", "MAX_CAPTURE_AMOUNT_EXCEEDED", "AMOUNT_MISMATCH":
            return .invalidAmount
        case "CAPTURE_FULLY_REFUNDED": return .alreadyRefunded
        case "TRANSACTION_DISPUTED", "REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK": return .disputed
        default: break
        }
        return kind == .otherCard ? .generic : .invalidRequest
    }
}
