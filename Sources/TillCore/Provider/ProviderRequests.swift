/// The context of every call about an attempt, by which it can be found again at the provider.
public struct AttemptContext: Hashable, Sendable {
    public var account: AccountID
    public var order: OrderID
    public var payment: PaymentID
    public var attempt: AttemptID
    /// The time at which the attempt was written to the journal; its keys count from here.
    public var startedAt: Timestamp
    /// The provider's reference of the attempt, once known.
    public var reference: ProviderReference?

    public init(
        account: AccountID, order: OrderID, payment: PaymentID, attempt: AttemptID, startedAt: Timestamp,
        reference: ProviderReference?
    ) {
        self.account = account
        self.order = order
        self.payment = payment
        self.attempt = attempt
        self.startedAt = startedAt
        self.reference = reference
    }
}

/// A request to prepare or authorize.
public struct AuthorizationRequest: Hashable, Sendable {
    public var context: AttemptContext
    public var amount: Money
    /// Hold only (`manual`), or capture at once if the provider supports it (`automatic` still captures through the
    /// outbox unless the scheme is single-message).
    public var captureMode: CaptureMode
    /// The idempotency key of the preparation.
    public var prepareKey: IdempotencyKey
    /// The idempotency key of the authorization.
    public var key: IdempotencyKey
    /// A short description for the provider's list.
    public var description: String?
    /// The same provider's reference of the payment's last attempt, which took no money.
    public var earlier: ProviderReference?
    /// `true` if the provider's own fields attach the card to the prepared object (``Tender/payPalCard``).
    public var attachesCard: Bool

    public init(
        context: AttemptContext, amount: Money, captureMode: CaptureMode, prepareKey: IdempotencyKey,
        key: IdempotencyKey, description: String? = nil, earlier: ProviderReference? = nil, attachesCard: Bool = false
    ) {
        self.context = context
        self.amount = amount
        self.captureMode = captureMode
        self.prepareKey = prepareKey
        self.key = key
        self.description = description
        self.earlier = earlier
        self.attachesCard = attachesCard
    }
}

/// A request to continue an authorization after the customer's action; the provider has the card.
public struct ContinuationRequest: Hashable, Sendable {
    public var context: AttemptContext
    public var amount: Money
    /// The capture mode at the start of the attempt.
    public var captureMode: CaptureMode
    /// The idempotency key of the continuation.
    public var key: IdempotencyKey
    /// The customer's action before it, as it was last reported.
    public var action: CustomerAction?

    public init(
        context: AttemptContext, amount: Money, captureMode: CaptureMode, key: IdempotencyKey,
        action: CustomerAction? = nil
    ) {
        self.context = context
        self.amount = amount
        self.captureMode = captureMode
        self.key = key
        self.action = action
    }
}

public struct RenewalRequest: Hashable, Sendable {
    public var context: AttemptContext
    public var renewal: RenewalID
    /// The amount that continues to be held.
    public var amount: Money
    /// The idempotency key of the renewal.
    public var key: IdempotencyKey

    public init(context: AttemptContext, renewal: RenewalID, amount: Money, key: IdempotencyKey) {
        self.context = context
        self.renewal = renewal
        self.amount = amount
        self.key = key
    }
}

public struct CaptureRequest: Hashable, Sendable {
    public var context: AttemptContext
    public var capture: CaptureID
    public var amount: Money
    /// `true` if nothing more will be captured; the rest of the hold is released.
    public var isFinal: Bool
    /// The idempotency key of the capture.
    public var key: IdempotencyKey
    /// The time at which the capture was written to the journal, from which a provider derives the age of its key;
    /// `nil` for just now.
    public var startedAt: Timestamp?

    public init(
        context: AttemptContext, capture: CaptureID, amount: Money, isFinal: Bool, key: IdempotencyKey,
        startedAt: Timestamp? = nil
    ) {
        self.context = context
        self.capture = capture
        self.amount = amount
        self.isFinal = isFinal
        self.key = key
        self.startedAt = startedAt
    }
}

/// A request to void an authorization, or to make sure that an attempt of unknown outcome can never be charged.
public struct VoidRequest: Hashable, Sendable {
    public var context: AttemptContext
    /// The idempotency key of the authorization to void, for providers that void by key.
    public var authorizationKey: IdempotencyKey
    /// The reason, in standard terms: `requested_by_customer`, `duplicate`, `abandoned`.
    public var reason: String
    /// The idempotency key of the void.
    public var key: IdempotencyKey
    /// 1 for the first void of the attempt; a further one has its own key and follows only a refused one.
    public var number: Int
    /// The customer action that was asked for last, also once it is not pending any more.
    public var action: CustomerAction?
    /// `true` if the attempt was begun before the journal was restored: reports that were acknowledged since the backup
    /// are lost, so that a missing one proves nothing.
    public var mayLackReports: Bool

    public init(
        context: AttemptContext, authorizationKey: IdempotencyKey, reason: String, key: IdempotencyKey, number: Int = 1,
        action: CustomerAction? = nil, mayLackReports: Bool = false
    ) {
        self.context = context
        self.authorizationKey = authorizationKey
        self.reason = reason
        self.key = key
        self.number = number
        self.action = action
        self.mayLackReports = mayLackReports
    }
}

/// A request to refund all or a part of the captured money.
public struct RefundRequest: Hashable, Sendable {
    public var context: AttemptContext
    public var refund: RefundID
    public var amount: Money
    /// The reason, for the provider and the receipt.
    public var reason: String?
    /// The idempotency key of the refund.
    public var key: IdempotencyKey
    /// `true` if an earlier call for the refund may have been sent, even by a process that died and at any time until
    /// its death.
    public var mayHaveBeenSent: Bool
    /// The last time at which an earlier call for the refund may have been sent; `nil` if none was. A provider without
    /// keys repeats nothing until that call can no longer arrive.
    public var mayHaveLeft: Timestamp?
    /// The time at which the refund was written to the journal, from which a provider derives the age of its key; `nil`
    /// for just now.
    public var startedAt: Timestamp?

    public init(
        context: AttemptContext, refund: RefundID, amount: Money, reason: String?, key: IdempotencyKey,
        mayHaveBeenSent: Bool = false, mayHaveLeft: Timestamp? = nil, startedAt: Timestamp? = nil
    ) {
        self.context = context
        self.refund = refund
        self.amount = amount
        self.reason = reason
        self.key = key
        self.mayHaveBeenSent = mayHaveBeenSent
        self.mayHaveLeft = mayHaveLeft
        self.startedAt = startedAt
    }
}

/// A query of an attempt's outcome.
public struct QueryRequest: Hashable, Sendable {
    public var context: AttemptContext
    /// The idempotency key of the authorization, for providers that query by key.
    public var authorizationKey: IdempotencyKey
    /// The requested amount; the provider's amounts must be in this currency.
    public var amount: Money
    /// `true` if the authorization was continued after the customer's action: that call may be under way, so that only
    /// the provider's explicit answer counts as a decline.
    public var isContinued: Bool
    /// `true` if no operation of ours is open: the query then includes changes to money after the sale, such as a
    /// dispute, even if this takes another call, and an unreadable part leaves the whole query unanswered.
    public var isAtRest: Bool
    /// The customer's action that the attempt awaits, as it was last reported.
    public var action: CustomerAction?
    /// What the customer's side holds of the end of a ``CustomerAction/session``. It proves nothing by itself.
    public var sessionResult: SessionResult?
    /// The action whose order the provider's own fields attach a card to, if Till has never had its money moved: what
    /// has moved on it all the same was moved by others, and nobody has judged it.
    public var unjudged: CustomerAction?
    /// `true` if the attempt was to open a session, and none has reached the journal. A provider that has read all
    /// reports and has none of the attempt then answers ``ProviderSnapshot/Standing/notFound``.
    public var isOfUnheldSession: Bool

    public init(
        context: AttemptContext, authorizationKey: IdempotencyKey, amount: Money, isContinued: Bool = false,
        isAtRest: Bool = false, action: CustomerAction? = nil, sessionResult: SessionResult? = nil,
        unjudged: CustomerAction? = nil, isOfUnheldSession: Bool = false
    ) {
        self.context = context
        self.authorizationKey = authorizationKey
        self.amount = amount
        self.isContinued = isContinued
        self.isAtRest = isAtRest
        self.action = action
        self.sessionResult = sessionResult
        self.unjudged = unjudged
        self.isOfUnheldSession = isOfUnheldSession
    }
}
