public import TillCore

/// The store of events, and the one part of Till that must never lose data.
///
/// Guarantees of every implementation:
/// - A write is atomic, and durable when ``write(_:)`` returns: a crash right after it loses nothing.
/// - Writes are totally ordered; a read that starts after a write has returned sees it.
/// - A write that throws any error but ``JournalError/unavailable(_:)`` has changed nothing. After `unavailable` it may
///   have been made; the version of the payment decides.
/// - An order of an account has at most one live payment.
public protocol Journal: Sendable {
    /// Writes atomically and durably. Checks in this order: lease, idempotency, webhook, version, order, records.
    func write(_ write: JournalWrite) async throws(JournalError)
    /// `true` if no other process has taken over what this one holds. To be checked right before a request without an
    /// idempotency key is sent; it cannot rule out that the process stalls between the check and the request.
    func holdsLease() async -> Bool
    /// Returns a payment as the fold of its events; `nil` if there is none.
    func payment(_ id: PaymentID) async throws(JournalError) -> Payment?
    /// Returns the version of a payment, the number of its events; `nil` if there is none. Cheaper than the payment
    /// itself: whoever has read that learns whether anything was written since.
    func version(of payment: PaymentID) async throws(JournalError) -> Int?
    /// Returns the payment that the order currently belongs to; `nil` if it is free.
    func livePayment(account: AccountID, order: OrderID) async throws(JournalError) -> Payment?
    /// Returns payments by their projected rows, newest first.
    func payments(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRow]
    /// Returns the same for lists in which a row may be damaged: an unreadable row does not hide others.
    func rowReadings(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRowReading]
    /// Returns all events of a payment, oldest first; empty if there is none.
    func events(of payment: PaymentID) async throws(JournalError) -> [StoredEvent]
    /// Returns events after a position in the journal, oldest first.
    /// - Parameter account: limits the events to this account; `nil`: all accounts.
    func events(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [StoredEvent]
    /// Returns the same for a journal in which an event may be damaged: an unreadable event does not hide others.
    func readings(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [EventReading]
    /// Returns payments with work due, most overdue first: due at that time and not held by another live process, and,
    /// immediately, all held by a dead process.
    /// - Parameter place: only entries after it; `nil`: from the first. Entries that cannot be processed now thus do
    ///   not hide later ones.
    func due(
        at moment: Timestamp, after place: OutboxPlace?, limit: Int
    ) async throws(JournalError) -> [DuePayment]
    /// Claims payments: this process holds them from then on, as if it had written ``JournalWrite/Holder/thisProcess``,
    /// until it dies, writes something else, or calls ``release(_:)``.
    /// - Returns: the payments it holds now. Excluded are those no longer due, and those that another live process
    ///   holds or claims at the same time: that one processes them.
    /// - Throws: ``JournalError/leaseLost`` for a process that others consider dead.
    func claim(_ payments: [PaymentID], at moment: Timestamp) async throws(JournalError) -> Set<PaymentID>
    /// Releases a claimed payment, which then becomes available to any process. Does nothing if this process does not
    /// hold it.
    func release(_ payment: PaymentID) async throws(JournalError)
    /// Returns the record under an idempotency key; `nil` if there is none, or if it is older than
    /// ``JournalLimits/idempotencyRetention`` by a trusted clock.
    func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord?
    /// Returns the time of the last written event; `nil` if there is none. The clock is checked against it.
    func newestMoment() async throws(JournalError) -> Timestamp?
    /// Returns outbox entries after `place`, earliest first, whichever process holds them.
    func planned(after place: OutboxPlace, limit: Int) async throws(JournalError) -> [OutboxPlace]
    /// Returns the head of the hash chain as it was right after an event; 0 for the journal's start. It is fixed from
    /// the event's commit on, so it can be read at any later time.
    /// - Returns: `nil` for a journal without a chain, and for an event that is not in it.
    func chainHead(after sequence: Int64) async throws(JournalError) -> ChainHead?
}

extension Journal {
    /// The version of the payment as it is read, for a journal that has no shorter way to it.
    public func version(of payment: PaymentID) async throws(JournalError) -> Int? {
        try await self.payment(payment)?.version
    }

    /// `true`, for a journal used by a single process.
    public func holdsLease() async -> Bool { true }

    /// Claims all payments, for a journal without claims: if another process also finds a payment due, both use the
    /// same keys.
    public func claim(_ payments: [PaymentID], at moment: Timestamp) async throws(JournalError) -> Set<PaymentID> {
        Set(payments)
    }

    public func release(_ payment: PaymentID) async throws(JournalError) {}

    /// `nil`, for a journal without a chain.
    public func chainHead(after sequence: Int64) async throws(JournalError) -> ChainHead? { nil }
}

/// Limits of the journal.
public enum JournalLimits {
    /// The retention of the response to a request under its idempotency key.
    public static let idempotencyRetention = Span.days(30)
    /// The retention of webhook receipts; longer than any provider retries one.
    public static let webhookRetention = Span.days(30)
    /// The maximum number of expired rows removed in one pass, so that a purge delays no write for long.
    public static let maximumPurgedRows = 256
    /// The minimum interval between two purges.
    public static let purgeInterval = Span.minutes(1)
    /// The default lease of a process: the time for which it keeps what it holds without a renewal. A stalled process
    /// loses it after that, even if it still has its lock. Far shorter than the time for which a late request may still
    /// arrive, such as Braintree's ten minutes.
    public static let processLease = Span.seconds(30)
    /// The number of lease renewals per lease: each writes to the file's cache, without a sync.
    public static let leaseRenewals: Int64 = 6
    /// The tolerance for events ahead of the clock that they are checked against: clocks of several processes, and a
    /// clock that was set back slightly.
    public static let clockTolerance = Span.minutes(5)
    /// The number of bytes that a write check writes: a large response with its index pages.
    public static let largestCommonAnswer = 16 << 10
    /// The maximum number of waiting writes; more are refused with ``JournalError/queueFull(limit:)``.
    public static let maximumQueuedWrites = 8_192
    /// The maximum number of writes in one commit.
    public static let maximumBatch = 1_024
    /// The maximum number of rows returned by one read.
    public static let maximumPage = 500
}
