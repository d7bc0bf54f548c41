/// One attempt to authorize a payment with one provider.
public struct Attempt: Hashable, Sendable {
    public let id: AttemptID
    /// The provider that moves the money.
    public let provider: ProviderName
    /// A summary of the customer's tender.
    public internal(set) var tender: TenderSummary
    /// The requested amount.
    public let amount: Money
    /// The time at which the attempt was written to the journal.
    public let startedAt: Timestamp
    /// The provider account in which the attempt was started; `nil` in journals that predate this field.
    public internal(set) var identity: ProviderIdentity?
    /// The provider's identifier of its object for the attempt.
    public internal(set) var reference: ProviderReference?
    public internal(set) var state: State
    /// The void of the attempt, once requested.
    public internal(set) var void: Void?
    /// The continuation requested after the customer's action.
    public internal(set) var continuation: Continuation?
    /// The time at which the journal learned of the hold; honor periods count from here if the provider reports none.
    public internal(set) var heldSince: Timestamp?
    /// The earliest time, by any clock, at which the customer's action is known to have been pending.
    var challengedSince: Timestamp?
    /// The customer action that was asked for last, also once it is not pending any more.
    public internal(set) var lastAction: CustomerAction?
    /// The drawer that its cash went into; `nil` for any other tender, and for cash that named no drawer.
    public internal(set) var drawer: DrawerName?
    /// The highest amount ever authorized, in minor units and with the tip; the upper bound of captures.
    var mostAuthorized: Int64 = 0
    /// The tip of the authorization in minor units, also after a hold was released or has ended; 0 for none.
    var tipUnits: Int64 = 0
    /// The amount approved by the issuer in minor units, without the tip, also after a hold was released or has ended.
    var approvedUnits: Int64 = 0

    /// The state of an attempt.
    public enum State: Hashable, Sendable {
        /// Durable; the call may have been sent; the outcome is unknown.
        case inFlight
        /// The customer must take action.
        case requiresAction(CustomerAction)
        /// The card's data are stored on this device; no authorization was requested yet.
        case stored(StoredTap)
        /// The outcome is unknown: it may have succeeded.
        case unknown(Unknown)
        /// Money is held or captured.
        case authorized(Authorization)
        /// The provider or the issuer declined it; no money moved.
        case declined(Decline)
        /// Not one byte was sent.
        case notSent(reason: String)
        /// Voided: it can never be charged.
        case voided
        /// The hold ended without a capture; no money moved.
        case expired
    }

    /// A void of an attempt.
    public struct Void: Hashable, Sendable {
        public let reason: VoidReason
        /// The time at which the void was written to the journal.
        public let startedAt: Timestamp
        /// The part of the hold that is released if another part was captured before; the captured part stays. `nil` if
        /// the whole attempt is voided.
        public let rest: Money?
        /// 1 for the first; another follows only if the provider refused the one before.
        public let number: Int
        public internal(set) var state: OperationState
        public internal(set) var sendings = Sendings()
    }

    /// The second half of an authorization interrupted by a challenge, at a provider that must be called to continue.
    public struct Continuation: Hashable, Sendable {
        /// 1 for the first; another follows only if the provider requires another action after it.
        public let number: Int
        /// The time at which the continuation was written to the journal.
        public let startedAt: Timestamp
        public internal(set) var state: OperationState
        public internal(set) var sendings = Sendings()
    }

    /// The idempotency key of the preparation.
    public var prepareKey: IdempotencyKey { IdempotencyKey(rawValue: "\(id)-prepare") }
    /// The idempotency key of the authorization.
    public var authorizationKey: IdempotencyKey { IdempotencyKey(rawValue: "\(id)-authorize") }
    /// Returns the idempotency key of a void. A provider may repeat a refusal for the same key forever, so each void
    /// has its own.
    public func voidKey(_ void: Void) -> IdempotencyKey {
        void.sendings.key(void.number == 1 ? "\(id)-void" : "\(id)-void-\(void.number)")
    }

    /// Returns the idempotency key of a continuation.
    public func continuationKey(_ continuation: Continuation) -> IdempotencyKey {
        continuation.sendings.key("\(id)-continue-\(continuation.number)")
    }

    /// The continuation of unknown outcome: its request is, or may be, in progress.
    public var openContinuation: Continuation? {
        isUndecided ? continuation.flatMap { $0.state.isOpen ? $0 : nil } : nil
    }

    /// The authorization, if there is one.
    public var authorization: Authorization? {
        if case .authorized(let authorization) = state { authorization } else { nil }
    }

    /// The customer action that is pending as far as is known: a query that was not answered ends none.
    public var awaitedAction: CustomerAction? {
        switch state {
        case .requiresAction(let action): action
        case .unknown where continuation == nil && void == nil: lastAction
        // A session may be paid until its end, also while the attempt is being voided.
        case .unknown where lastAction?.session != nil || lastAction?.isFinished == true: lastAction
        case .inFlight, .stored, .unknown, .authorized, .declined, .notSent, .voided, .expired: nil
        }
    }

    /// `true` while the provider's own fields may attach the card to the attempt's order, as far as is known.
    public var awaitsCard: Bool {
        if case .requiresAction(let action) = state { action.order != nil } else { false }
    }

    /// The last action with an order for the provider's own fields, if no request for its money may have been done. An
    /// approval of the amount that was asked for was judged when it was booked: what is taken of it later is another.
    public var unjudgedAction: CustomerAction? {
        guard let lastAction, lastAction.order != nil else { return nil }
        if approved == amount { return nil }
        guard let continuation else { return lastAction }
        if case .refused = continuation.state { return lastAction }
        return nil
    }

    /// `true` if a customer has, or had, a session with which the attempt could be paid.
    var hadSession: Bool { lastAction.map { $0.session != nil || $0.isFinished } ?? false }

    /// The void that is open or was refused. A void that succeeded before the attempt was opened again does not count.
    var unfinishedVoid: Void? { void.flatMap { $0.state.isSucceeded ? nil : $0 } }

    /// `true` if the provider refused the void.
    var isVoidRefused: Bool { if case .refused? = void?.state { true } else { false } }

    /// Returns the time since which the customer's action has been pending. If a clock that was ahead dated the start,
    /// the time is limited to the moment at which it was first read back; otherwise the customer's time would not end
    /// before that clock's date.
    func waitedForSince(at now: Timestamp) -> Timestamp {
        guard startedAt.since(now).milliseconds > CheckSchedule.keyMargin.milliseconds, let challengedSince else {
            return startedAt
        }
        return min(startedAt, challengedSince)
    }

    /// The amount approved by the issuer, without the tip; unchanged by a later release of the rest.
    public var approved: Money? {
        authorization == nil ? nil : Money(minorUnits: approvedUnits, currency: amount.currency)
    }

    /// Returns the tip in a captured amount of this attempt, in minor units: the order counts as paid first, so that
    /// only what exceeds it is tip. What was captured of a hold keeps its tip when the rest is released or ends.
    /// - Parameter taken: The captured amount in minor units.
    public func tip(in taken: Int64) -> Int64 { max(0, min(tipUnits, taken &- approvedUnits)) }

    /// Returns `true` if a provider configured with this account may be queried about the attempt. An attempt that
    /// predates recorded accounts belongs to the configured one.
    public func belongs(to configured: ProviderIdentity) -> Bool {
        guard let identity else { return true }
        return identity.match(configured) == .same
    }

    /// `true` if no real money moves. In older journals this is only known of the sandbox.
    public var isTest: Bool { identity.map { $0.mode == .test } ?? (provider == .sandbox) }

    /// Returns `true` if two attempts belong to the same provider account, as far as is known.
    public func isOfAccount(of other: Attempt) -> Bool { other.identity.map { belongs(to: $0) } ?? true }

    /// `true` if the attempt is undecided or holds money.
    var isLive: Bool { isUndecided || authorization != nil }

    /// `true` if the outcome is unknown, so that the provider may hold money.
    public var isUndecided: Bool {
        switch state {
        case .inFlight, .stored, .unknown, .requiresAction: true
        case .authorized, .declined, .notSent, .voided, .expired: false
        }
    }
}

/// The state of a capture, a void or a refund.
public enum OperationState: Hashable, Sendable {
    /// Durable; the call may have been sent.
    case inFlight
    /// To be sent. `tries` counts calls that were not sent, including those with queries between them. `isQueried` is
    /// `true` if the last event is a query that showed the operation not to be done. `after` is the previous unknown
    /// outcome, so that queries of a repeatedly unknown outcome become less frequent.
    case deferred(until: Timestamp, tries: Int, isQueried: Bool, after: Unknown?)
    /// The outcome is unknown: it may have succeeded.
    case unknown(Unknown)
    case succeeded(ProviderReference?)
    /// Refused by the provider: certainly not done.
    case refused(Decline)
    /// Done, but failed later; the provider's reference.
    case reversed(ProviderReference?, Decline)

    /// `true` if the outcome is still open.
    public var isOpen: Bool {
        switch self {
        case .inFlight, .deferred, .unknown: true
        case .succeeded, .refused, .reversed: false
        }
    }

    /// `true` if the operation is, was or may be done; `false` if it was refused, or waits to be sent and was certainly
    /// never sent.
    var mayHaveBeenDone: Bool {
        switch self {
        case .inFlight, .unknown, .succeeded, .reversed: true
        case .deferred(_, _, let isQueried, let after): !isQueried && after != nil
        case .refused: false
        }
    }

    public var isSucceeded: Bool { if case .succeeded = self { true } else { false } }
    /// `true` if the operation was done but failed later.
    public var isReversed: Bool { if case .reversed = self { true } else { false } }

    /// The unknown outcome, current or from before the operation was deferred.
    var lastUnknown: Unknown? {
        switch self {
        case .unknown(let unknown): unknown
        case .deferred(_, _, _, let after): after
        case .inFlight, .succeeded, .refused, .reversed: nil
        }
    }
}

/// An unknown outcome and its query schedule.
public struct Unknown: Hashable, Sendable {
    public var since: Timestamp
    /// The time of the engine's next query.
    public var nextCheck: Timestamp
    /// The number of queries made.
    public var checks: Int
    public var reason: UnknownReason
}

public struct Capture: Hashable, Sendable {
    public let id: CaptureID
    public let attempt: AttemptID
    public let amount: Money
    /// `true` if nothing more will be captured.
    public let isFinal: Bool
    /// The time at which the capture was written to the journal.
    public let startedAt: Timestamp
    public internal(set) var state: OperationState
    /// The originator of the capture.
    public internal(set) var origin = OperationOrigin.till
    public internal(set) var sendings = Sendings()
    public var key: IdempotencyKey { sendings.key("\(id)-capture") }
}

/// A renewal of a hold, which extends the issuer's guarantee.
public struct Renewal: Hashable, Sendable {
    public let id: RenewalID
    public let attempt: AttemptID
    /// The amount that continues to be held: the uncaptured part.
    public let amount: Money
    /// The time at which the renewal was written to the journal.
    public let startedAt: Timestamp
    public internal(set) var state: OperationState
    public internal(set) var sendings = Sendings()
    public var key: IdempotencyKey { sendings.key("\(id)-renew") }
}

public struct Refund: Hashable, Sendable {
    public let id: RefundID
    public let attempt: AttemptID
    public let amount: Money
    public let reason: String?
    /// The time at which the refund was written to the journal.
    public let startedAt: Timestamp
    public internal(set) var state: OperationState
    /// The originator of the refund.
    public internal(set) var origin = OperationOrigin.till
    /// The drawer that cash comes out of: the named one, else the one that the sale's cash went into; `nil` if neither
    /// was named, and for anything but cash.
    public internal(set) var drawer: DrawerName?
    public internal(set) var sendings = Sendings()
    public var key: IdempotencyKey { sendings.key("\(id)-refund") }
}
