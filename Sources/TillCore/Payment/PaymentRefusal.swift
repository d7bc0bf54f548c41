/// The reason for refusing a command to a payment. Nothing was written and no provider was called.
public enum PaymentRefusal: ExplainedError, Hashable {
    /// The order has already been paid.
    case alreadyPaid(OrderID, PaymentID)
    /// Another attempt may still take the money.
    case outcomeOpen(PaymentStatus)
    /// The payment has ended.
    case closed(PaymentStatus)
    /// The amount is zero, negative or in another currency.
    case invalidAmount(String)
    /// The amount exceeds the rest of the authorization.
    case captureExceedsAuthorization(asked: Money, left: Money)
    /// The amount exceeds the captured amount that is not yet refunded.
    case refundExceedsCaptured(asked: Money, left: Money)
    /// The amount exceeds the caller's limit on total refunds of the payment.
    case refundExceedsLimit(asked: Money, limit: Money)
    /// There is nothing to capture.
    case nothingToCapture
    /// There is nothing to refund.
    case nothingToRefund
    /// A previous operation of the same kind is still open.
    case operationInProgress(String)
    case authorizationExpired(Timestamp)
    /// There is no held money to renew.
    case nothingHeld
    /// The issuer guarantees the hold until this time; it can be renewed after that.
    case renewalTooEarly(Timestamp)
    /// The hold was renewed before; only the original can be renewed, once.
    case renewedBefore
    /// Money was captured and nothing more is held: refund it instead.
    case capturedAlready(Money)
    /// The payment was to be canceled only if it is unpaid.
    case notUnpaid(PaymentStatus)
    /// A dispute has withdrawn the money to be refunded.
    case disputed(Money)
    /// The payment has no review entry of that number.
    case unknownAttention(Int)
    /// The entry was closed by an operator or superseded by later events.
    case attentionClosed(Int)
    /// The operator's evidence or name is missing or too long.
    case invalidEvidence(String)
    /// The provider does not support this.
    case unsupported(String)

    public var code: String {
        switch self {
        case .alreadyPaid: "order_already_paid"
        case .outcomeOpen: "payment_in_progress"
        case .closed: "payment_closed"
        case .invalidAmount: "invalid_amount"
        case .captureExceedsAuthorization: "capture_exceeds_authorization"
        case .refundExceedsCaptured: "refund_exceeds_captured"
        case .refundExceedsLimit: "refund_exceeds_limit"
        case .nothingToCapture: "nothing_to_capture"
        case .nothingToRefund: "nothing_to_refund"
        case .operationInProgress: "operation_in_progress"
        case .authorizationExpired: "authorization_expired"
        case .nothingHeld: "nothing_held"
        case .renewalTooEarly: "reauthorization_too_early"
        case .renewedBefore: "reauthorization_not_supported"
        case .capturedAlready: "captured_already"
        case .notUnpaid: "payment_not_unpaid"
        case .disputed: "payment_disputed"
        case .unknownAttention: "unknown_attention"
        case .attentionClosed: "attention_closed"
        case .invalidEvidence: "invalid_evidence"
        case .unsupported: "unsupported"
        }
    }

    public var what: String {
        switch self {
        case .alreadyPaid(let order, let payment): "Order \(order) is already paid by \(payment)."
        case .outcomeOpen(let status):
            "This payment is \(status.rawValue): an earlier attempt may still take the money."
        case .closed(let status): "This payment is \(status.rawValue) and takes no more commands of this kind."
        case .invalidAmount(let why): why
        case .captureExceedsAuthorization(let asked, let left):
            "A capture of \(asked) is more than the \(left) that is still held."
        case .refundExceedsCaptured(let asked, let left):
            "A refund of \(asked) is more than the \(left) that can still be refunded."
        case .refundExceedsLimit(let asked, let limit):
            "A refund of \(asked) with earlier refunds is more than the \(limit) that may be refunded without approval."
        case .nothingToCapture: "No money is held that could be captured."
        case .nothingToRefund: "No captured money is left that could be refunded."
        case .operationInProgress(let step): "A \(step) of this payment is still waiting for its answer."
        case .authorizationExpired(let time): "The hold on the money ended at \(time)."
        case .nothingHeld: "The payment holds no money that could be renewed."
        case .renewalTooEarly(let time): "The bank honors the hold until \(time); it can be renewed after that."
        case .renewedBefore: "The hold was renewed before, and a hold is renewed once."
        case .capturedAlready(let amount): "\(amount) of this payment is captured already."
        case .notUnpaid(let status):
            "This payment is \(status.rawValue), and it was to be canceled only if it is unpaid. It was left as it is."
        case .disputed(let amount): "\(amount) of this payment is disputed and was taken back by the provider."
        case .unknownAttention(let number): "The payment has no entry number \(number) that a person must review."
        case .attentionClosed(let number): "Entry number \(number) is closed already."
        case .invalidEvidence(let why): why
        case .unsupported(let why): why
        }
    }

    /// Indicates whether this command moved money: it did not, whatever earlier ones did.
    public var moneyMoved: MoneyMoved {
        switch self {
        case .outcomeOpen: .unknown
        default: .no
        }
    }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .alreadyPaid: "Do not charge again; check the payment."
        case .outcomeOpen, .operationInProgress: "Wait for its outcome; do not start another payment."
        case .closed(.captureFailed):
            "Cancel it if the provider still holds the money, then start a new payment for the order."
        case .closed: "Start a new payment if money is still wanted."
        case .invalidAmount: "Correct the amount."
        case .captureExceedsAuthorization(_, let left): "Capture at most \(left)."
        case .refundExceedsCaptured(_, let left): "Refund at most \(left)."
        case .refundExceedsLimit: "Have somebody with that permission approve it with their PIN."
        case .nothingToCapture, .nothingToRefund: "Check the payment first."
        case .authorizationExpired: "Ask the customer to pay again."
        case .nothingHeld: "List what is held with `till authorizations list`."
        case .renewalTooEarly: "Capture it now; no renewal is needed."
        case .renewedBefore: "Capture it before it ends."
        case .capturedAlready: "Nothing is held any more; refund it instead."
        case .notUnpaid: "Check the payment; cancel it without that condition to release what is held."
        case .disputed: "Answer or accept the dispute at the provider; a refund would return the money twice."
        case .unknownAttention, .attentionClosed: "List what is open with `till attention list`."
        case .invalidEvidence: "State briefly how it is known, and by whom."
        case .unsupported: "Choose another way."
        }
    }
}
