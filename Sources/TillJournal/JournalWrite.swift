public import TillCore

/// What is written together: all of it or nothing.
public struct JournalWrite: Sendable {
    /// New events of a payment.
    public var append: Append?
    /// What is known under an idempotency key. One in flight is inserted: if the key is finished, held by a living
    /// process, or was used for another request, the write is refused; the record of a dead process for the same
    /// request is taken over. A finished one replaces what is there, but one that comes with the first events of a
    /// payment is inserted as one in flight is: it was never in flight, so the key must not be anybody's yet.
    public var idempotency: IdempotencyRecord?
    /// A webhook that must not have been seen before.
    public var webhook: WebhookReceipt?
    /// A payment on which something is to be done earlier than planned. Does nothing if nothing is pending on it.
    public var wake: (PaymentID, Timestamp)?
    /// Changes of the record store, in the same commit as the rest.
    public var records: [RecordChange]
    /// Entries of the audit log, in the same commit as the rest.
    public var audit: [AuditNote]

    public init(
        append: Append? = nil, idempotency: IdempotencyRecord? = nil, webhook: WebhookReceipt? = nil,
        wake: (PaymentID, Timestamp)? = nil, records: [RecordChange] = [], audit: [AuditNote] = []
    ) {
        self.append = append
        self.idempotency = idempotency
        self.webhook = webhook
        self.wake = wake
        self.records = records
        self.audit = audit
    }

    /// Who works on a payment: other processes leave it alone while that one lives.
    public enum Holder: Hashable, Sendable {
        /// Whoever finds it due.
        case nobody
        case thisProcess
        /// As it was: what is written has nothing to do with a call that somebody has under way.
        case unchanged
    }

    /// Events of one payment and the state that they lead to.
    public struct Append: Sendable {
        /// The payment after the events; its version is `expectedVersion` plus their count.
        public var payment: Payment
        /// The version before the events; 0 for a new payment.
        public var expectedVersion: Int
        /// What happened, oldest first. May be empty: then only the two below are written.
        public var events: [RecordedEvent]
        /// When something is to be done on the payment next; `nil`: nothing is.
        public var nextDue: Timestamp?
        /// Who works on it from now on, while there is something to do on it.
        public var holder: Holder

        public init(
            payment: Payment, expectedVersion: Int, events: [RecordedEvent], nextDue: Timestamp?, holder: Holder
        ) {
            self.payment = payment
            self.expectedVersion = expectedVersion
            self.events = events
            self.nextDue = nextDue
            self.holder = holder
        }
    }
}

/// That a provider's webhook came.
public struct WebhookReceipt: Hashable, Sendable {
    public var provider: ProviderName
    /// What the provider calls it.
    public var id: String
    public var at: Timestamp

    public init(provider: ProviderName, id: String, at: Timestamp) {
        self.provider = provider
        self.id = id
        self.at = at
    }
}
