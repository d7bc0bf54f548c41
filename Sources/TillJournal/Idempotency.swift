public import TillCore

/// The scope in which an idempotency key is unique.
public struct IdempotencyScope: Hashable, Sendable {
    /// The account of the caller.
    public var account: AccountID
    /// The requested operation, such as `payments.create`.
    public var operation: String
    /// The idempotency key of the request.
    public var key: String

    public init(account: AccountID, operation: String, key: String) {
        self.account = account
        self.operation = operation
        self.key = key
    }
}

/// The state stored under the idempotency key of a request.
public struct IdempotencyRecord: Hashable, Sendable {
    /// The progress of a request.
    public enum State: Hashable, Sendable {
        /// In progress, with the payment and the operation it works on.
        case inFlight(payment: PaymentID?, operation: String?)
        /// Completed; the stored response is replayed byte for byte.
        case finished(status: Int, body: [UInt8], payment: PaymentID?)
    }

    public var scope: IdempotencyScope
    /// A digest of the request; the same key with another digest is a different request.
    public var fingerprint: [UInt8]
    /// The request in canonical form, so that a difference can be reported.
    public var request: [UInt8]
    /// The time of the first request.
    public var createdAt: Timestamp
    /// The progress of the request.
    public var state: State
    /// `true` if the request is in flight and its process is alive. Set when read, ignored when written.
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

    /// `true` if the record is older than the retention. An expired key is deleted permanently, so while the clock is
    /// not trusted no key expires.
    public func isExpired(by clock: any TillClock) -> Bool {
        clock.standing.isTrusted && clock.now().since(createdAt) > JournalLimits.idempotencyRetention
    }

    /// Returns the record with the attempt that its request began.
    package func beginning(_ attempt: AttemptID) -> IdempotencyRecord {
        guard case .inFlight(let payment, let operation?) = state else { return self }
        var record = self
        record.state = .inFlight(payment: payment, operation: "\(operation) \(attempt)")
        return record
    }

    /// The operation and, if one was begun, its attempt, of a request in flight.
    package var begun: (operation: String, attempt: AttemptID?)? {
        guard case .inFlight(_, let text?) = state else { return nil }
        let parts = text.split(separator: " ", maxSplits: 1)
        guard let operation = parts.first else { return nil }
        return (String(operation), parts.count > 1 ? AttemptID(rawValue: String(parts[1])) : nil)
    }

    /// `true` if the request has a response.
    public var isFinished: Bool { if case .finished = state { true } else { false } }
    /// The payment concerned, if known.
    public var payment: PaymentID? {
        switch state {
        case .inFlight(let payment, _): payment
        case .finished(_, _, let payment): payment
        }
    }
}

extension IdempotencyRecord {
    /// Creates a record from the columns of a row.
    package init(
        scope: IdempotencyScope, fingerprint: [UInt8], request: [UInt8], isFinished: Bool, payment: String?,
        step: String?, status: Int64, body: [UInt8], createdAt: Int64, isAlive: Bool
    ) {
        let payment = payment.map { PaymentID(rawValue: $0) }
        self.init(
            scope: scope, fingerprint: fingerprint, request: request,
            createdAt: Timestamp(milliseconds: createdAt),
            state: isFinished
                ? .finished(status: Int(clamping: status), body: body, payment: payment)
                : .inFlight(payment: payment, operation: step),
            isHeldByLivingProcess: !isFinished && isAlive)
    }
}
