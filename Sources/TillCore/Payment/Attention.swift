/// The reason for a manual review of a payment.
public enum Attention: Hashable, Sendable {
    /// The provider authorized an amount other than the one requested.
    case wrongAmount(authorized: Money, asked: Money)
    /// The provider authorized an amount in a currency other than the one requested.
    case wrongCurrency(authorized: Money, asked: Money)
    /// The provider rejects our own credentials.
    case keyRejected
    /// The provider shows one of our refunds more than once: this much was refunded beyond the requested amount.
    case refundedMoreThanOnce(RefundID, Money)
    /// The issuer approved, and the provider captured, less than requested.
    case partialApproval(Money)
    /// The provider reports a void of an attempt that it has captured.
    case voidedAfterCapture
    /// The provider refused a capture, a void, a renewal or a refund.
    case refused(DeclineReason)
    /// A pending refund failed.
    case refundFailed
    /// After this many queries the outcome of an operation is still unknown.
    case stillUnknown(checks: Int, UnknownReason)
    /// A hold without a capture is about to end.
    case holdEnds(Timestamp)
    /// The issuer's guarantee of a hold ends before the hold itself.
    case honorPeriodEnds(Timestamp)
    /// A stored tap was not forwarded within the time allowed by the provider.
    case tapOverdue(expires: Timestamp)
    /// A refund failed after it had succeeded.
    case refundReversed(Money)
    /// A capture failed after it had succeeded.
    case captureReversed(Money)
    /// The customer's bank or the provider opened a dispute.
    case disputeOpened(ProviderReference, Money, respondBy: Timestamp?)
    case disputeLost(ProviderReference, Money)
    /// Money was captured from a payment that was canceled or had ended.
    case unwantedCapture(Money)
    /// An attempt that had ended was approved after all. A void of its hold was started; captured money is counted if
    /// no other attempt of the payment has any.
    case approvedLate(Money, isCaptured: Bool)
    /// The amount by which refunds exceed captures.
    case refundedTwice(Money)
    /// A refund failed after another payment had already paid for the order.
    case orderPaidAgain(PaymentID)
    /// The shop has the order otherwise than it is paid here: what differs, as a sentence.
    case shopDiffers(String)
    /// A free-form note: a provider warning, or an entry of an older journal. Nothing is decided on it.
    case note(String)

    /// A human-readable sentence.
    public var sentence: String {
        switch self {
        case .wrongAmount(let authorized, let asked):
            UnknownReason.wrongAmount(authorized: authorized, asked: asked).sentence
        case .wrongCurrency(let authorized, let asked):
            UnknownReason.wrongCurrency(authorized: authorized, asked: asked).sentence
        case .keyRejected:
            "The provider rejects our own credentials, so nothing was done. Correct them; what is waiting goes on by "
                + "itself."
        case .refundedMoreThanOnce(let refund, let amount):
            "The provider shows refund \(refund) more than once: \(amount) too much went back. Claim it from the "
                + "customer."
        case .partialApproval(let amount): "Only \(amount) was approved."
        case .voidedAfterCapture: "The provider says that it voided what it has captured."
        case .refused(.alreadyRefunded):
            "The provider says that the money was refunded already, and not by Till. Nothing more was refunded."
        case .refused(.alreadyCaptured):
            "The provider says that the money was captured already, and not by this step. This step moved nothing."
        case .refused(.nothingLeft):
            "The provider has less left of the payment than was asked for. This step moved nothing; it may have been "
                + "captured, released or refunded elsewhere."
        case .refused(let reason): "The provider refused: \(reason.rawValue)."
        case .refundFailed: "A refund failed; the money is with the shop."
        case .stillUnknown(let checks, let reason): "Still not known after \(checks) queries: \(reason.sentence)"
        case .holdEnds(let end): "The hold ends at \(end); capture it or void it."
        case .honorPeriodEnds(let end):
            "By the provider's rules the bank honors the hold until \(end); capture it by then. After that it may have "
                + "to be renewed, or be refused."
        case .tapOverdue(let expires):
            "The stored card was not forwarded by \(expires). The provider may refuse it: forward it now."
        case .refundReversed(let amount):
            "The refund of \(amount) had succeeded and has failed since; the money is with the shop."
        case .captureReversed(let amount):
            "The capture of \(amount) had succeeded and has failed since; the money is not with the shop."
        case .disputeOpened(let reference, let amount, let respondBy):
            respondBy.map { "\(amount) is disputed (\(reference)); the answer is due by \($0)." }
                ?? "\(amount) is disputed (\(reference))."
        case .disputeLost(let reference, let amount): "The dispute \(reference) about \(amount) was lost."
        case .unwantedCapture(let amount):
            "\(amount) was captured at the provider, and nobody wanted that money any more."
        case .approvedLate(let amount, isCaptured: false):
            "The provider approved \(amount) after the attempt had ended. Nothing was captured; a void was started."
        case .approvedLate(let amount, isCaptured: true):
            "The provider captured \(amount) after the attempt had ended. Beside another attempt, and of a canceled "
                + "payment, it is not counted."
        case .refundedTwice(let amount): "\(amount) more went back to the customer than was captured."
        case .orderPaidAgain(let payment): "The order was paid again meanwhile, by \(payment)."
        case .shopDiffers(let sentence), .note(let sentence): sentence
        }
    }
}
