/// An event of a payment. Events are appended to the journal and never changed.
public enum PaymentEvent: Hashable, Sendable {
    /// The payment exists; no provider was called. Indirect, since it holds the whole order: every copy of an event,
    /// on its way to the journal and to the streams, is then one reference.
    indirect case created(Creation)
    /// An attempt and its keys are durable; the provider may be called from here on.
    case attemptStarted(AttemptStart)
    /// The account of an attempt became known: the account itself confirmed that it knows the attempt, or the attempt's
    /// key was found to belong to it.
    case attemptBound(AttemptID, ProviderIdentity)
    /// The provider created its object for the attempt; no money was requested yet.
    case attemptPrepared(AttemptID, ProviderReference)
    /// The provider holds the money, or (single-message) has captured it.
    case authorized(AttemptID, Authorization)
    /// The customer must take action first.
    case actionRequired(AttemptID, CustomerAction)
    /// The customer has acted. The second half of the authorization and its key are durable.
    case continuationStarted(AttemptID, number: Int)
    /// The card's sealed data are durable on this device and wait to be forwarded: stored, not authorized.
    case attemptStored(AttemptID, StoredTap)
    /// The provider or the issuer declined the attempt.
    case attemptDeclined(AttemptID, Decline)
    /// Not one byte of the request was sent.
    case attemptNotSent(AttemptID, reason: String)
    /// The hold ended without a capture, so its order is free again.
    case attemptExpired(AttemptID)
    /// A void and its key are durable.
    case voidStarted(AttemptID, reason: VoidReason)
    /// The attempt can no longer be charged.
    case voided(AttemptID)
    /// A capture and its key are durable.
    case captureStarted(CaptureID, AttemptID, Money, isFinal: Bool)
    /// The provider has captured the money.
    case captured(CaptureID, ProviderReference?)
    /// A renewal of a hold and its key are durable.
    case renewalStarted(RenewalID, AttemptID, Money)
    /// The hold continues under the given reference until the given end; its amount is that of the renewal.
    case renewed(RenewalID, Authorization)
    /// A refund and its key are durable; the amount is reserved.
    case refundStarted(RefundID, AttemptID, Money, reason: String?)
    /// The provider has refunded the money.
    case refunded(RefundID, ProviderReference?)
    /// A capture, void or refund was refused by the provider: certainly not done.
    case refused(OperationID, Decline)
    /// A capture, void or refund was certainly not sent or not done; it will be sent again with its key.
    case deferred(OperationID, until: Timestamp, reason: ResendReason)
    /// The outcome is unknown: it may have succeeded. The provider is queried at `nextCheck`.
    case outcomeUnknown(OperationID, nextCheck: Timestamp, reason: UnknownReason)
    /// The shop requested cancellation.
    case cancelRequested(reason: String)
    /// The payment ended without money.
    case canceled
    /// The payment needs manual review.
    case attentionRequired(OperationID, Attention)
    /// A refund failed after it had succeeded; the money is with the shop again.
    case refundReversed(RefundID, Decline)
    /// A capture failed after it had succeeded; the money was taken back from the shop.
    case captureReversed(CaptureID, Decline)
    /// A failed capture was restored.
    case captureRestored(CaptureID)
    /// Money was captured outside Till.
    case captureReported(CaptureID, AttemptID, Money, OperationOrigin)
    /// Money was refunded outside Till, or is being refunded if the outcome is unknown.
    case refundReported(RefundID, AttemptID, Money, OperationOrigin)
    case disputeOpened(AttemptID, Dispute.Facts)
    /// The provider's data of a dispute changed. A closed dispute is open again.
    case disputeUpdated(Dispute.Facts)
    /// The provider withdrew this additional amount for a dispute.
    case disputeFundsWithdrawn(ProviderReference, Money)
    /// The provider reinstated this amount of a dispute.
    case disputeFundsReinstated(ProviderReference, Money)
    case disputeClosed(ProviderReference, Dispute.Outcome)
    /// An operator closed a review entry; the number of the entry.
    case attentionClosed(Int, AttentionResolution)
    /// A provider reported something about a settled payment; it is queried at `due`.
    case queryRequested(AttemptID, due: Timestamp)
    /// The requested query was answered.
    case queryAnswered(AttemptID)

    /// The content of a payment's first event.
    public struct Creation: Hashable, Sendable {
        public var payment: PaymentID
        public var account: AccountID
        public var order: Order
        /// The time at which the hold is captured.
        public var captureMode: CaptureMode
        /// The operator on record for charging an order that the shop reports as settled (``Order/standing``); `nil` if
        /// there was no override.
        public var acceptedBy: String?
        /// The discount given at the counter; `nil` for none, and in journals that predate this field.
        public var discount: Discount?

        public init(
            payment: PaymentID, account: AccountID, order: Order, captureMode: CaptureMode, acceptedBy: String? = nil,
            discount: Discount? = nil
        ) {
            self.payment = payment
            self.account = account
            self.order = order
            self.captureMode = captureMode
            self.acceptedBy = acceptedBy
            self.discount = discount
        }
    }

    /// The content of an attempt's first event.
    public struct AttemptStart: Hashable, Sendable {
        public var attempt: AttemptID
        /// The provider that moves the money.
        public var provider: ProviderName
        /// A summary of the customer's tender.
        public var tender: TenderSummary
        public var amount: Money
        /// The provider account; `nil` in journals that predate this field.
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

/// An operation requested from a provider.
public enum OperationID: Hashable, Sendable {
    case attempt(AttemptID)
    /// The continuation of the attempt after the customer's action.
    case continuation(AttemptID)
    case void(AttemptID)
    case capture(CaptureID)
    case renewal(RenewalID)
    case refund(RefundID)
}

/// An event with its time, as stored.
public struct RecordedEvent: Hashable, Sendable {
    public var event: PaymentEvent
    /// The time at which the event was decided.
    public var at: Timestamp
    /// The attribution of the event; `nil` in journals that predate this field.
    public var by: Attribution?

    /// - Parameter by: The attribution of the event.
    public init(_ event: PaymentEvent, at: Timestamp, by: Attribution? = nil) {
        self.event = event
        self.at = at
        self.by = by
    }
}
