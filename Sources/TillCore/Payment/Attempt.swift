/// One try to get the money from one provider.
public struct Attempt: Hashable, Sendable {
    public let id: AttemptID
    /// Who moves the money.
    public let provider: ProviderName
    /// How the customer pays.
    public internal(set) var tender: TenderSummary
    /// How much was asked for.
    public let amount: Money
    /// When it was written to the journal.
    public let startedAt: Timestamp
    /// In whose account at the provider it was started. `nil`: the journal is older than this was recorded.
    public internal(set) var identity: ProviderIdentity?
    /// What the provider made for it.
    public internal(set) var reference: ProviderReference?
    public internal(set) var state: State
    /// The void of it, once asked for.
    public internal(set) var void: Void?
    /// What was asked for after the customer had done what was asked of him.
    public internal(set) var continuation: Continuation?
    /// When the journal heard that money is held; honor periods count from here where the provider reports none.
    public internal(set) var heldSince: Timestamp?
    /// The earliest time at which the customer is known to have been waited for, by whatever clock.
    var challengedSince: Timestamp?
    /// The most that was ever authorized, in minor units and with the tip; captures are held against it.
    var mostAuthorized: Int64 = 0

    /// Where an attempt stands.
    public enum State: Hashable, Sendable {
        /// Durable; the call may have left; nothing is known.
        case inFlight
        /// The customer must do something.
        case requiresAction(CustomerAction)
        /// The card's data are stored on this device; nobody was asked yet.
        case stored(StoredTap)
        /// It may have happened.
        case unknown(Unknown)
        /// Money is held or taken.
        case authorized(Authorization)
        /// The provider or the issuer declined it; no money moved.
        case declined(Decline)
        /// Not one byte left.
        case notSent(reason: String)
        /// It can never be charged: voided.
        case voided
        /// The hold reached its end without a capture; no money moved.
        case expired
    }

    /// A void of an attempt.
    public struct Void: Hashable, Sendable {
        public let reason: VoidReason
        /// When it was written to the journal.
        public let startedAt: Timestamp
        /// What of the hold is released, where a part of it was captured before; that part stays captured. `nil`: the
        /// whole attempt is voided.
        public let rest: Money?
        /// 1 for the first; another follows only if the provider has refused the one before it.
        public let number: Int
        public internal(set) var state: OperationState
        public internal(set) var sendings = Sendings()
    }

    /// The second half of an authorization that a challenge has interrupted, where the provider waits to be asked.
    public struct Continuation: Hashable, Sendable {
        /// 1 for the first; another follows only if the provider wants another action after it.
        public let number: Int
        /// When it was written to the journal.
        public let startedAt: Timestamp
        public internal(set) var state: OperationState
        public internal(set) var sendings = Sendings()
    }

    /// The key of the preparation.
    public var prepareKey: IdempotencyKey { IdempotencyKey(rawValue: "\(id)-prepare") }
    /// The key of the authorization.
    public var authorizationKey: IdempotencyKey { IdempotencyKey(rawValue: "\(id)-authorize") }
    /// The key of a void. A provider may answer a key that it has refused in the same way for ever.
    public func voidKey(_ void: Void) -> IdempotencyKey {
        void.sendings.key(void.number == 1 ? "\(id)-void" : "\(id)-void-\(void.number)")
    }

    /// The key of a continuation.
    public func continuationKey(_ continuation: Continuation) -> IdempotencyKey {
        continuation.sendings.key("\(id)-continue-\(continuation.number)")
    }

    /// The provider is being asked, or was, to continue after the customer's action, and the outcome is unknown.
    public var openContinuation: Continuation? {
        isUndecided ? continuation.flatMap { $0.state.isOpen ? $0 : nil } : nil
    }

    /// The authorization, if there is one.
    public var authorization: Authorization? {
        if case .authorized(let authorization) = state { authorization } else { nil }
    }

    /// What the customer has to do, while he is waited for.
    var action: CustomerAction? { if case .requiresAction(let action) = state { action } else { nil } }

    /// The provider has refused to void it.
    var isVoidRefused: Bool { if case .refused? = void?.state { true } else { false } }

    /// Since when the customer is waited for. What a clock that was ahead has dated did not begin after it was first
    /// read back: without that its time would not end before that clock's.
    func waitedForSince(at now: Timestamp) -> Timestamp {
        guard startedAt.since(now).milliseconds > CheckSchedule.keyMargin.milliseconds, let challengedSince else {
            return startedAt
        }
        return min(startedAt, challengedSince)
    }

    /// What the issuer approved without the tip, also after the rest of it was released.
    public var approved: Money? {
        guard let base = authorization?.base, let void, void.state.isSucceeded, let rest = void.rest else {
            return authorization?.base
        }
        return base.adding(ifExact: rest)
    }

    /// Whether a provider that opens this account may be asked about the attempt. One from before accounts were
    /// recorded belongs to whoever is configured.
    public func belongs(to configured: ProviderIdentity) -> Bool {
        guard let identity else { return true }
        return identity.match(configured) == .same
    }

    /// No real money moves. Of an older journal only the sandbox's are known to be so.
    public var isTest: Bool { identity.map { $0.mode == .test } ?? (provider == .sandbox) }

    /// Whether two attempts are of one account at their provider, as far as is known.
    public func isOfAccount(of other: Attempt) -> Bool { other.identity.map { belongs(to: $0) } ?? true }

    /// It is undecided or holds money.
    var isLive: Bool { isUndecided || authorization != nil }

    /// Money may be with the provider and nobody knows.
    public var isUndecided: Bool {
        switch state {
        case .inFlight, .stored, .unknown, .requiresAction: true
        case .authorized, .declined, .notSent, .voided, .expired: false
        }
    }
}

/// Where a capture, a void or a refund stands.
public enum OperationState: Hashable, Sendable {
    /// Durable; the call may have left.
    case inFlight
    /// To be sent. `tries` did not leave, also with queries between them. `isQueried`: the last thing that happened is
    /// a query that has shown it not to be done. `after` is what was not known before, so that an outcome that is
    /// unknown again and again is queried later each time.
    case deferred(until: Timestamp, tries: Int, isQueried: Bool, after: Unknown?)
    /// It may have happened.
    case unknown(Unknown)
    case succeeded(ProviderReference?)
    /// The provider refused it: certainly not done.
    case refused(Decline)
    /// It was done, and failed later; the provider's name for it.
    case reversed(ProviderReference?, Decline)

    /// Nobody knows yet how it ends.
    public var isOpen: Bool {
        switch self {
        case .inFlight, .deferred, .unknown: true
        case .succeeded, .refused, .reversed: false
        }
    }

    /// It is done, was, or may be: `false` for what was refused, and for what waits to be sent and never may have left.
    var mayHaveBeenDone: Bool {
        switch self {
        case .inFlight, .unknown, .succeeded, .reversed: true
        case .deferred(_, _, let isQueried, let after): !isQueried && after != nil
        case .refused: false
        }
    }

    public var isSucceeded: Bool { if case .succeeded = self { true } else { false } }
    /// It was done, and failed later.
    public var isReversed: Bool { if case .reversed = self { true } else { false } }

    /// What is not known, or was not before it was to be sent again.
    var lastUnknown: Unknown? {
        switch self {
        case .unknown(let unknown): unknown
        case .deferred(_, _, _, let after): after
        case .inFlight, .succeeded, .refused, .reversed: nil
        }
    }
}

/// An outcome that nobody knows yet: since when, when it is queried next and how often it was queried.
public struct Unknown: Hashable, Sendable {
    public var since: Timestamp
    /// When the engine queries again.
    public var nextCheck: Timestamp
    /// How often it was queried.
    public var checks: Int
    public var reason: UnknownReason
}

public struct Capture: Hashable, Sendable {
    public let id: CaptureID
    public let attempt: AttemptID
    public let amount: Money
    /// Nothing more will be captured.
    public let isFinal: Bool
    /// When it was written to the journal.
    public let startedAt: Timestamp
    public internal(set) var state: OperationState
    /// Who has moved the money.
    public internal(set) var origin = OperationOrigin.till
    public internal(set) var sendings = Sendings()
    public var key: IdempotencyKey { sendings.key("\(id)-capture") }
}

/// One renewal of a hold: the bank answers for the money for longer.
public struct Renewal: Hashable, Sendable {
    public let id: RenewalID
    public let attempt: AttemptID
    /// How much is held further: what is not captured yet.
    public let amount: Money
    /// When it was written to the journal.
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
    /// When it was written to the journal.
    public let startedAt: Timestamp
    public internal(set) var state: OperationState
    /// Who has moved the money.
    public internal(set) var origin = OperationOrigin.till
    public internal(set) var sendings = Sendings()
    public var key: IdempotencyKey { sendings.key("\(id)-refund") }
}
