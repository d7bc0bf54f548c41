/// Why a command to a payment is refused. Nothing was written and nobody was asked.
public enum PaymentRefusal: ExplainedError, Hashable {
    /// The order has taken its money already.
    case alreadyPaid(OrderID, PaymentID)
    /// Another attempt may still take the money.
    case outcomeOpen(PaymentStatus)
    /// The payment is over.
    case closed(PaymentStatus)
    /// The amount is zero, negative or in another currency.
    case invalidAmount(String)
    /// More than the authorization has left.
    case captureExceedsAuthorization(asked: Money, left: Money)
    /// More than was captured and not yet refunded.
    case refundExceedsCaptured(asked: Money, left: Money)
    /// More than whoever asks may refund of the payment in all.
    case refundExceedsLimit(asked: Money, limit: Money)
    /// There is nothing to capture.
    case nothingToCapture
    /// There is nothing to refund.
    case nothingToRefund
    /// A step of the same kind is not answered yet.
    case operationInProgress(String)
    case authorizationExpired(Timestamp)
    /// No money is held that could be renewed.
    case nothingHeld
    /// The bank answers for the hold until then; it can be renewed after that.
    case renewalTooEarly(Timestamp)
    /// A hold is renewed once, from the original only.
    case renewedBefore
    /// Money was captured and nothing is held beside it: refund it instead.
    case capturedAlready(Money)
    /// A dispute has withdrawn the money that was to be refunded.
    case disputed(Money)
    /// The payment's queue has no entry of that number.
    case unknownAttention(Int)
    /// The entry was closed by a person or overtaken by what happened since.
    case attentionClosed(Int)
    /// What a person says how he knows, or who he is, is missing or too long.
    case invalidEvidence(String)
    /// The provider cannot do this.
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
        case .disputed(let amount): "\(amount) of this payment is disputed and was taken back by the provider."
        case .unknownAttention(let number): "The payment has no entry number \(number) that a person must review."
        case .attentionClosed(let number): "Entry number \(number) is closed already."
        case .invalidEvidence(let why): why
        case .unsupported(let why): why
        }
    }

    /// This command moved nothing, whatever earlier ones did.
    public var moneyMoved: MoneyMoved {
        switch self {
        case .outcomeOpen: .unknown
        default: .no
        }
    }

    /// What to do next.
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
        case .disputed: "Answer or accept the dispute at the provider; a refund would return the money twice."
        case .unknownAttention, .attentionClosed: "List what is open with `till attention list`."
        case .invalidEvidence: "State briefly how it is known, and by whom."
        case .unsupported: "Choose another way."
        }
    }
}
