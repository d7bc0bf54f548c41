/// One thing that happened to a payment. Events are appended to the journal and never changed.
public enum PaymentEvent: Hashable, Sendable {
    /// The payment exists; nothing was asked of anybody.
    case created(Creation)
    /// An attempt and its keys are durable; the provider may be called from here on.
    case attemptStarted(AttemptStart)
    /// The account in which an attempt was started became known: the account itself answered that it knows the attempt,
    /// or its key, which is the attempt's, was found to open it.
    case attemptBound(AttemptID, ProviderIdentity)
    /// The provider made its object for the attempt; no money was asked for yet.
    case attemptPrepared(AttemptID, ProviderReference)
    /// The provider holds the money, or (single-message) has taken it.
    case authorized(AttemptID, Authorization)
    /// The customer must do something first.
    case actionRequired(AttemptID, CustomerAction)
    /// The customer has done it. The second half of the authorization and its key are durable.
    case continuationStarted(AttemptID, number: Int)
    /// The card's sealed data are durable on this device and wait to be forwarded: stored, not authorized.
    case attemptStored(AttemptID, StoredTap)
    /// The provider or the issuer declined the attempt.
    case attemptDeclined(AttemptID, Decline)
    /// Not one byte of the request left.
    case attemptNotSent(AttemptID, reason: String)
    /// The hold reached its end without a capture, so its order is free again.
    case attemptExpired(AttemptID)
    /// A void and its key are durable.
    case voidStarted(AttemptID, reason: VoidReason)
    /// The attempt cannot be charged any more.
    case voided(AttemptID)
    /// A capture and its key are durable.
    case captureStarted(CaptureID, AttemptID, Money, isFinal: Bool)
    /// The provider has captured the money.
    case captured(CaptureID, ProviderReference?)
    /// A renewal of a hold and its key are durable.
    case renewalStarted(RenewalID, AttemptID, Money)
    /// The hold continues under the given name and to the given end; its amount is that of the renewal.
    case renewed(RenewalID, Authorization)
    /// A refund and its key are durable; the amount is reserved.
    case refundStarted(RefundID, AttemptID, Money, reason: String?)
    /// The provider has refunded the money.
    case refunded(RefundID, ProviderReference?)
    /// A capture, void or refund certainly did not happen: the provider said no.
    case refused(OperationID, Decline)
    /// A capture, void or refund was certainly not sent or is not done; it will be sent again with its key.
    case deferred(OperationID, until: Timestamp, reason: ResendReason)
    /// It may have happened. The provider is queried at `nextCheck`.
    case outcomeUnknown(OperationID, nextCheck: Timestamp, reason: UnknownReason)
    /// The shop no longer wants money for this order.
    case cancelRequested(reason: String)
    /// The payment ended without money.
    case canceled
    /// A person must review it.
    case attentionRequired(OperationID, Attention)
    /// A refund that had succeeded failed later; the money is with the shop again.
    case refundReversed(RefundID, Decline)
    /// A capture that had succeeded failed later; the money was taken back from the shop.
    case captureReversed(CaptureID, Decline)
    /// A capture that had failed was made good.
    case captureRestored(CaptureID)
    /// Money was captured, and not by Till.
    case captureReported(CaptureID, AttemptID, Money, OperationOrigin)
    /// Money was refunded, and not by Till; or it is on its way, if its outcome is unknown.
    case refundReported(RefundID, AttemptID, Money, OperationOrigin)
    case disputeOpened(AttemptID, Dispute.Facts)
    /// The provider says something else of it than before. One that was closed is open again.
    case disputeUpdated(Dispute.Facts)
    /// The provider has withdrawn this much more for it.
    case disputeFundsWithdrawn(ProviderReference, Money)
    /// The provider has returned this much of it.
    case disputeFundsReinstated(ProviderReference, Money)
    case disputeClosed(ProviderReference, Dispute.Outcome)
    /// A person has closed what a person had to review; the number of the entry.
    case attentionClosed(Int, AttentionResolution)
    /// A provider has reported something about a settled payment; it is queried at `due`.
    case queryRequested(AttemptID, due: Timestamp)
    /// That query was answered.
    case queryAnswered(AttemptID)

    /// How a payment begins.
    public struct Creation: Hashable, Sendable {
        public var payment: PaymentID
        public var account: AccountID
        public var order: Order
        /// When the hold is captured.
        public var captureMode: CaptureMode
        /// Who charges the order although the shop says that it was settled (``Order/standing``); `nil`: nobody.
        public var acceptedBy: String?

        public init(
            payment: PaymentID, account: AccountID, order: Order, captureMode: CaptureMode, acceptedBy: String? = nil
        ) {
            self.payment = payment
            self.account = account
            self.order = order
            self.captureMode = captureMode
            self.acceptedBy = acceptedBy
        }
    }

    /// How an attempt begins.
    public struct AttemptStart: Hashable, Sendable {
        public var attempt: AttemptID
        /// Who moves the money.
        public var provider: ProviderName
        /// How the customer pays.
        public var tender: TenderSummary
        public var amount: Money
        /// In whose account at the provider. `nil`: the journal is older than this was recorded.
        public var identity: ProviderIdentity?

        public init(
            attempt: AttemptID, provider: ProviderName, tender: TenderSummary, amount: Money,
            identity: ProviderIdentity? = nil
        ) {
            self.attempt = attempt
            self.provider = provider
            self.tender = tender
            self.amount = amount
            self.identity = identity
        }
    }

    /// The stable name of the event, as in the journal and in `GET /v1/events`.
    public var name: String {
        switch self {
        case .created: "payment.created"
        case .attemptStarted: "attempt.started"
        case .attemptBound: "attempt.bound"
        case .attemptPrepared: "attempt.prepared"
        case .authorized: "attempt.authorized"
        case .actionRequired: "attempt.action_required"
        case .continuationStarted: "continuation.started"
        case .attemptStored: "attempt.stored"
        case .attemptDeclined: "attempt.declined"
        case .attemptNotSent: "attempt.not_sent"
        case .attemptExpired: "attempt.expired"
        case .voidStarted: "void.started"
        case .voided: "void.succeeded"
        case .captureStarted: "capture.started"
        case .captured: "capture.succeeded"
        case .renewalStarted: "renewal.started"
        case .renewed: "renewal.succeeded"
        case .refundStarted: "refund.started"
        case .refunded: "refund.succeeded"
        case .refused: "operation.refused"
        case .deferred: "operation.deferred"
        case .outcomeUnknown: "operation.unknown"
        case .cancelRequested: "payment.cancel_requested"
        case .canceled: "payment.canceled"
        case .attentionRequired: "payment.attention_required"
        case .refundReversed: "refund.failed"
        case .captureReversed: "capture.failed"
        case .captureRestored: "capture.restored"
        case .captureReported: "capture.reported"
        case .refundReported: "refund.reported"
        case .disputeOpened: "dispute.opened"
        case .disputeUpdated: "dispute.updated"
        case .disputeFundsWithdrawn: "dispute.funds_withdrawn"
        case .disputeFundsReinstated: "dispute.funds_reinstated"
        case .disputeClosed: "dispute.closed"
        case .attentionClosed: "payment.attention_closed"
        case .queryRequested: "query.requested"
        case .queryAnswered: "query.answered"
        }
    }
}

/// A thing that a provider was asked to do.
public enum OperationID: Hashable, Sendable {
    case attempt(AttemptID)
    /// Continue the attempt after the customer's action.
    case continuation(AttemptID)
    case void(AttemptID)
    case capture(CaptureID)
    case renewal(RenewalID)
    case refund(RefundID)
}

/// An event with its moment, as kept.
public struct RecordedEvent: Hashable, Sendable {
    public var event: PaymentEvent
    /// When it was decided.
    public var at: Timestamp
    /// Whom it is attributed to; `nil`: it was written before this was recorded.
    public var by: Attribution?

    /// - Parameter by: whom it is attributed to.
    public init(_ event: PaymentEvent, at: Timestamp, by: Attribution? = nil) {
        self.event = event
        self.at = at
        self.by = by
    }
}
