public import TillCore

/// An error of a card operation. Each case states whether money moved.
public enum CardClientError: ExplainedError, Hashable {
    /// The configuration is invalid.
    case configuration(String)
    /// The order is invalid; nothing was sent.
    case order(OrderRequestError)
    /// No request was sent, with the reason; a retry is safe.
    case notSent(String)
    /// PayPal refused, with its issues, fields and debug id.
    case refused(PayPalError)
    /// The card was declined, although PayPal reports the order as completed. Nothing was captured.
    case declined(Decline, PayPalOrderID)
    /// PayPal has not decided yet.
    case pending(String, PayPalOrderID)
    /// The issuer requires a challenge first.
    case payerActionRequired(PayPalOrderID, PayerAction)
    /// The issuer requires a challenge, and the answer contains no URL for it.
    case payerActionWithoutAddress(PayPalOrderID)
    /// The customer canceled the challenge.
    case challengeCanceled(PayPalOrderID)
    /// The return URL does not belong to this challenge.
    case foreignCallback(PayPalOrderID)
    /// PayPal no longer remembers the key: resending the request would execute it twice.
    case keyForgotten(IdempotencyKey)
    /// The key could not be recorded, so nothing was sent.
    case notRecorded(String)
    /// No usable answer was received.
    case unexpected(String, moneyMoved: MoneyMoved)

    /// A stable error code for programs, the same in every release.
    public var code: String {
        switch self {
        case .configuration: "configuration"
        case .order(let error): error.code
        case .notSent: "not_sent"
        case .refused(let error): error.issue?.rawValue.lowercased() ?? "refused"
        case .declined(let decline, _): decline.reason.rawValue
        case .pending: "pending"
        case .payerActionRequired: "payer_action_required"
        case .payerActionWithoutAddress: "payer_action_without_address"
        case .challengeCanceled: "challenge_canceled"
        case .foreignCallback: "foreign_callback"
        case .keyForgotten: "key_forgotten"
        case .notRecorded: "not_recorded"
        case .unexpected: "unexpected_answer"
        }
    }

    /// The problem, with PayPal's own text if available.
    public var what: String {
        switch self {
        case .configuration(let reason): reason
        case .order(let error): error.what
        case .notSent(let reason): "PayPal could not be reached: \(reason)."
        case .refused(let error): "PayPal refused: \(error)."
        case .declined(let decline, let order): "The card was declined for order \(order): \(decline.reason.rawValue)."
        case .pending(let reason, let order): "Order \(order) is not decided yet: \(reason)."
        case .payerActionRequired(let order, _): "The card's bank requires a challenge for order \(order)."
        case .payerActionWithoutAddress(let order):
            "The card's bank requires a challenge for order \(order), and PayPal does not say where."
        case .challengeCanceled(let order): "The customer abandoned the bank's challenge for order \(order)."
        case .foreignCallback(let order): "The customer came back to an address that is not of order \(order)."
        case .keyForgotten(let key): "PayPal has forgotten the request \(key) by now."
        case .notRecorded(let reason): "The request could not be recorded first: \(reason)."
        case .unexpected(let reason, _): "PayPal gave no usable answer: \(reason)."
        }
    }

    /// Unknown while PayPal's decision is pending, or if a request may have arrived without an answer.
    public var moneyMoved: MoneyMoved {
        switch self {
        case .configuration, .order, .notSent, .declined, .payerActionRequired, .payerActionWithoutAddress,
            .challengeCanceled, .foreignCallback, .notRecorded:
            .no
        case .refused(let error): error.saysNotDone ? .no : .unknown
        case .pending, .keyForgotten: .unknown
        case .unexpected(_, let moneyMoved): moneyMoved
        }
    }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .configuration, .order: "Correct it and try again."
        case .notSent, .notRecorded: "Try again."
        case .refused(let error):
            switch error.kind {
            case .otherCard: "Ask for another card."
            case .fixField: "Ask the customer to correct the card's data."
            case .payerAction: "Let the customer approve first."
            case .alreadyDone: "Read the order: it was done before."
            case .limit: "Create a new order or authorization."
            case .account: "Check the settings of the PayPal account."
            case .retrySameKey: "Send the same request with the same key again."
            case .merchantFault, .unknown: "Check the issue and the debug id."
            }
        case .declined: "Ask for another card."
        case .pending: "Read the order later; do not ask for the money again."
        case .payerActionRequired: "Send the customer to the bank's page."
        case .payerActionWithoutAddress, .challengeCanceled, .foreignCallback:
            "Start again with the card, or use another one."
        case .keyForgotten: "Read the order before anything else."
        case .unexpected: "Read the order, or send the same request with the same key."
        }
    }

    /// The sentence that may be shown to the customer.
    public var customerSentence: String {
        switch self {
        case .declined(let decline, _): decline.reason.customerSentence
        case .refused(let error) where moneyMoved == .no:
            (error.issue?.declineReason ?? .invalidRequest).customerSentence
        case .challengeCanceled: "The bank's challenge was not completed. Nothing was charged."
        default:
            moneyMoved == .no ? "The payment could not be made. Nothing was charged." : "We are checking the payment."
        }
    }
}
