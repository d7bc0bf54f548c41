public import TillCore

/// What an idempotency key of a request is unique in.
public struct IdempotencyScope: Hashable, Sendable {
    /// Whose request it is.
    public var account: AccountID
    /// What was asked for, such as `payments.create`.
    public var operation: String
    /// The key that came with the request.
    public var key: String

    public init(account: AccountID, operation: String, key: String) {
        self.account = account
        self.operation = operation
        self.key = key
    }
}

/// What is known of a request under its idempotency key.
public struct IdempotencyRecord: Hashable, Sendable {
    /// How far a request has come.
    public enum State: Hashable, Sendable {
        /// It is being worked on: on which payment, and on which operation of it.
        case inFlight(payment: PaymentID?, operation: String?)
        /// It was answered, so that the same request gets the same bytes.
        case finished(status: Int, body: [UInt8], payment: PaymentID?)
    }

    public var scope: IdempotencyScope
    /// A digest of the request; the same key with another digest is another request.
    public var fingerprint: [UInt8]
    /// The request in canonical form, so that a difference can be named.
    public var request: [UInt8]
    /// When the request came first.
    public var createdAt: Timestamp
    /// How far it has come.
    public var state: State
    /// In flight, and the process that works on it lives. Filled when read, ignored when written.
    public var isHeldByLivingProcess: Bool

    public init(
        scope: IdempotencyScope, fingerprint: [UInt8], request: [UInt8], createdAt: Timestamp, state: State,
        isHeldByLivingProcess: Bool = false
    ) {
        self.scope = scope
        self.fingerprint = fingerprint
        self.request = request
        self.createdAt = createdAt
        self.state = state
        self.isHeldByLivingProcess = isHeldByLivingProcess
    }

    /// Too old to be answered with. A key is forgotten for good by that, so a clock in doubt forgets none.
    public func isExpired(by clock: any TillClock) -> Bool {
        clock.standing.isTrusted && clock.now().since(createdAt) > JournalLimits.idempotencyRetention
    }

    /// It has an answer.
    public var isFinished: Bool { if case .finished = state { true } else { false } }
    /// The payment that it is about, if known.
    public var payment: PaymentID? {
        switch state {
        case .inFlight(let payment, _): payment
        case .finished(_, _, let payment): payment
        }
    }
}
