/// What every call about an attempt says, so that it can be found again at the provider.
public struct AttemptContext: Hashable, Sendable {
    public var account: AccountID
    public var order: OrderID
    public var payment: PaymentID
    public var attempt: AttemptID
    /// When the attempt was written to the journal; its keys count from here.
    public var startedAt: Timestamp
    /// What the provider made for the attempt, once known.
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

/// Ask for money: prepare or authorize.
public struct AuthorizationRequest: Hashable, Sendable {
    public var context: AttemptContext
    public var amount: Money
    /// Hold only (`manual`), or capture at once where the provider can (`automatic` still captures through the outbox
    /// unless the scheme is single-message).
    public var captureMode: CaptureMode
    /// Key of the preparation.
    public var prepareKey: IdempotencyKey
    /// Key of the authorization.
    public var key: IdempotencyKey
    /// A short text for the provider's list.
    public var description: String?
    /// What the same provider made for the payment's last attempt, which took no money.
    public var earlier: ProviderReference?

    public init(
        context: AttemptContext, amount: Money, captureMode: CaptureMode, prepareKey: IdempotencyKey,
        key: IdempotencyKey, description: String? = nil, earlier: ProviderReference? = nil
    ) {
        self.context = context
        self.amount = amount
        self.captureMode = captureMode
        self.prepareKey = prepareKey
        self.key = key
        self.description = description
        self.earlier = earlier
    }
}

/// Ask for the money after the customer has done what was asked; the card is with the provider.
public struct ContinuationRequest: Hashable, Sendable {
    public var context: AttemptContext
    public var amount: Money
    /// As it was when the attempt began.
    public var captureMode: CaptureMode
    /// Key of the continuation.
    public var key: IdempotencyKey

    public init(context: AttemptContext, amount: Money, captureMode: CaptureMode, key: IdempotencyKey) {
        self.context = context
        self.amount = amount
        self.captureMode = captureMode
        self.key = key
    }
}

public struct RenewalRequest: Hashable, Sendable {
    public var context: AttemptContext
    public var renewal: RenewalID
    /// How much is held further.
    public var amount: Money
    /// Key of the renewal.
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
    /// Nothing more will be captured; the rest of the hold is released.
    public var isFinal: Bool
    /// Key of the capture.
    public var key: IdempotencyKey
    /// When it was written to the journal, so that a provider knows how old its key is. `nil`: just now.
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

/// Void an authorization, or make sure that an attempt of unknown outcome can never be charged.
public struct VoidRequest: Hashable, Sendable {
    public var context: AttemptContext
    /// The key of the authorization to void, for providers that void by key.
    public var authorizationKey: IdempotencyKey
    /// Why, in the field's words: `requested_by_customer`, `duplicate`, `abandoned`.
    public var reason: String
    /// Key of the void.
    public var key: IdempotencyKey
    /// 1 for the first void of the attempt; another has another key and follows only a refused one.
    public var number: Int

    public init(
        context: AttemptContext, authorizationKey: IdempotencyKey, reason: String, key: IdempotencyKey, number: Int = 1
    ) {
        self.context = context
        self.authorizationKey = authorizationKey
        self.reason = reason
        self.key = key
        self.number = number
    }
}

/// Refund a part of the captured money, or all of it.
public struct RefundRequest: Hashable, Sendable {
    public var context: AttemptContext
    public var refund: RefundID
    public var amount: Money
    /// Why, for the provider and the receipt.
    public var reason: String?
    /// Key of the refund.
    public var key: IdempotencyKey
    /// An earlier call for it may have been sent, also by a process that died and at any time until its death.
    public var mayHaveBeenSent: Bool
    /// The last moment at which an earlier call for it may have left; `nil`: none has. A provider without keys does
    /// nothing again until what left then can arrive no more.
    public var mayHaveLeft: Timestamp?
    /// When it was written to the journal, so that a provider knows how old its key is. `nil`: just now.
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

/// Ask what became of an attempt.
public struct QueryRequest: Hashable, Sendable {
    public var context: AttemptContext
    /// The key of the authorization, for providers that look up by key.
    public var authorizationKey: IdempotencyKey
    /// How much was asked for; the provider's amounts must be in this currency.
    public var amount: Money
    /// The money was asked for after the customer's action: a call for it may be under way, so that nothing but the
    /// provider's own word may be read as a no.
    public var isContinued: Bool
    /// Nothing of ours is open: what can happen to money after the sale, such as a dispute, is asked for as well, also
    /// where that takes another call, and what cannot be read of it leaves the whole query without an answer.
    public var isAtRest: Bool

    public init(
        context: AttemptContext, authorizationKey: IdempotencyKey, amount: Money, isContinued: Bool = false,
        isAtRest: Bool = false
    ) {
        self.context = context
        self.authorizationKey = authorizationKey
        self.amount = amount
        self.isContinued = isContinued
        self.isAtRest = isAtRest
    }
}
