public import TillCore

/// Where events are kept. The one thing in Till that may never forget.
///
/// Guarantees of every implementation:
/// - A write is all or nothing, and durable when ``write(_:)`` returns: a crash right after it changes nothing.
/// - Writes are in one order; whoever reads after a write has returned sees it.
/// - A write that throws anything but ``JournalError/unavailable(_:)`` has changed nothing. After `unavailable` it may
///   have been made; the version of the payment decides.
/// - At most one live payment exists for an order of an account.
public protocol Journal: Sendable {
    /// Writes, atomically and durably. Checks in this order: lease, idempotency, webhook, version, order, records.
    func write(_ write: JournalWrite) async throws(JournalError)
    /// Whether nobody has taken over what this process holds. To be asked right before something is sent that no key
    /// makes harmless; what nobody can promise is that the process does not stand still between the two.
    func holdsLease() async -> Bool
    /// A payment as the fold of its events; `nil` if there is none.
    func payment(_ id: PaymentID) async throws(JournalError) -> Payment?
    /// The payment that the order belongs to now; `nil` if it is free.
    func livePayment(account: AccountID, order: OrderID) async throws(JournalError) -> Payment?
    /// Payments by their projected rows, newest first.
    func payments(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRow]
    /// The same for lists in which a row may be damaged: none hides the others.
    func rowReadings(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRowReading]
    /// All events of a payment, oldest first; empty if there is none.
    func events(of payment: PaymentID) async throws(JournalError) -> [StoredEvent]
    /// Events behind a place in the journal, oldest first.
    /// - Parameter account: only of this account; `nil`: of all.
    func events(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [StoredEvent]
    /// The same for whoever goes through a journal in which an event may be damaged: none hides the others.
    func readings(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [EventReading]
    /// Payments on which something is to be done: due at that moment and not held by another living process, and, at
    /// once, all that are held by a process that has died. The most overdue come first.
    /// - Parameter place: only what lies behind it; `nil`: from the first one on. So what cannot be worked on now keeps
    ///   nothing else out of sight.
    func due(
        at moment: Timestamp, after place: OutboxPlace?, limit: Int
    ) async throws(JournalError) -> [DuePayment]
    /// Takes payments to work on: this process holds them from then on, as if it had written
    /// ``JournalWrite/Holder/thisProcess``, until it lives no more, writes something else, or ``release(_:)``.
    /// - Returns: those that it holds now. Not among them is what is not due any more, and what another living process
    ///   holds or takes at this moment: that one works on it, and nobody waits for it.
    /// - Throws: ``JournalError/leaseLost`` for a process that was taken for dead.
    func claim(_ payments: [PaymentID], at moment: Timestamp) async throws(JournalError) -> Set<PaymentID>
    /// Gives a payment that was claimed back to whoever finds it due. Does nothing if this process does not hold it.
    func release(_ payment: PaymentID) async throws(JournalError)
    /// What is known under an idempotency key; `nil` if nothing, or if it is older than
    /// ``JournalLimits/idempotencyRetention`` by a clock that is not in doubt.
    func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord?
    /// The time of the entry that was written last; `nil` if there is none. The clock is held against it.
    func newestMoment() async throws(JournalError) -> Timestamp?
    /// What is planned for a moment, behind a place of the outbox, the earliest first, whoever holds it.
    func planned(after place: OutboxPlace, limit: Int) async throws(JournalError) -> [OutboxPlace]
}

extension Journal {
    /// That of a journal with which one process works.
    public func holdsLease() async -> Bool { true }

    /// Those of a journal that knows no claims: what another process finds due, too, is worked on under the same keys.
    public func claim(_ payments: [PaymentID], at moment: Timestamp) async throws(JournalError) -> Set<PaymentID> {
        Set(payments)
    }

    public func release(_ payment: PaymentID) async throws(JournalError) {}
}

/// How much the journal keeps and takes at once.
public enum JournalLimits {
    /// How long the answer to a request is kept under its key.
    public static let idempotencyRetention = Span.days(30)
    /// How long it is remembered that a webhook came; longer than any provider repeats one.
    public static let webhookRetention = Span.days(30)
    /// Expired rows removed in one pass, so that cleaning never makes a write wait long.
    public static let maximumPurgedRows = 256
    /// The shortest time between two passes of cleaning.
    public static let purgeInterval = Span.minutes(1)
    /// For how long, unless it says so, a process keeps what it holds without renewing its lease: one that was stopped
    /// loses it then, although its lock is there. Far shorter than what is held back for a late request, such as
    /// Braintree's ten minutes.
    public static let processLease = Span.seconds(30)
    /// How often a process renews its lease in the time of one: a write into a file's cache, without a sync.
    public static let leaseRenewals: Int64 = 6
    /// How far events may be ahead of the clock that they are checked by: clocks of several processes and a clock that
    /// was set back a little.
    public static let clockTolerance = Span.minutes(5)
    /// What a check of the journal writes: the bytes of a large answer, with the pages of its indexes.
    public static let largestCommonAnswer = 16 << 10
    /// Writes that wait at most; more are refused with ``JournalError/queueFull(limit:)``.
    public static let maximumQueuedWrites = 8_192
    /// Writes that share one commit at most.
    public static let maximumBatch = 1_024
    /// Rows that one read returns at most.
    public static let maximumPage = 500
}
