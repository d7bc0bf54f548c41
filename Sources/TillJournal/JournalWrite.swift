public import TillCore

/// An atomic write to the journal.
public struct JournalWrite: Sendable {
    /// New events of a payment.
    public var append: Append?
    /// The record under an idempotency key. A record in flight is inserted: if the key is finished, held by a live
    /// process, or was used for a different request, the write is refused; the record of a dead process for the same
    /// request is taken over. A finished record replaces the existing one, unless it comes with the events that begin a
    /// payment or an attempt: it was never in flight, so it is checked like one in flight.
    public var idempotency: IdempotencyRecord?
    /// A webhook that must not have been received before.
    public var webhook: WebhookReceipt?
    /// A payment, and an earlier time for its pending work. Ignored if it has none.
    public var wake: (PaymentID, Timestamp)?
    /// Changes to the record store, in the same commit.
    public var records: [RecordChange]
    /// Audit log entries, in the same commit.
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

    /// The process that works on a payment: while it is alive, others leave the payment alone.
    public enum Holder: Hashable, Sendable {
        /// Any process that finds it due.
        case nobody
        case thisProcess
        /// Unchanged: the write is unrelated to any call in progress.
        case unchanged
    }

    /// Events of one payment and the state they lead to.
    public struct Append: Sendable {
        /// The payment after the events; its version is `expectedVersion` plus their count.
        public var payment: Payment
        /// The version before the events; 0 for a new payment.
        public var expectedVersion: Int
        /// The new events, oldest first. May be empty: then only the two below are written.
        public var events: [RecordedEvent]
        /// The time at which the payment is next due; `nil` if nothing is pending.
        public var nextDue: Timestamp?
        /// The process that works on it from now on, while work is pending.
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

/// The receipt of a provider's webhook.
public struct WebhookReceipt: Hashable, Sendable {
    public var provider: ProviderName
    /// The provider's identifier of the webhook.
    public var id: String
    public var at: Timestamp

    public init(provider: ProviderName, id: String, at: Timestamp) {
        self.provider = provider
        self.id = id
        self.at = at
    }
}
