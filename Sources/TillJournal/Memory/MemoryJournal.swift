import Synchronization
public import TillCore

/// An in-memory journal with the semantics of the one on disk, for simulations and tests.
///
/// ```swift
/// let storage = MemoryJournal.Storage()
/// let first = MemoryJournal(storage: storage)
/// first.crash()
/// let second = MemoryJournal(storage: storage)
/// let due = try await second.due(at: SystemClock().now(), after: nil, limit: 100)
/// ```
///
/// Several journals can share one ``Storage``, like several processes that open one file. ``crash()`` is the death of
/// such a process: acknowledged writes remain in the storage, others were never made, and everything it held is
/// released.
public final class MemoryJournal: Journal, RecordStore, AuditLog {
    /// The state that survives a crash.
    public final class Storage: Sendable {
        let state: Mutex<MemoryState>

        public init() { state = Mutex(MemoryState()) }
        private init(_ state: MemoryState) { self.state = Mutex(state) }

        /// Returns a copy of the durable state, without live processes.
        public func copy() -> Storage {
            var copy = state.withLock { $0 }
            copy.living = []
            copy.fenced = []
            return Storage(copy)
        }
    }

    /// The storage with its events.
    public let storage: Storage
    private let clock: any TillClock
    private let owner: Int64
    private let beforeCommit: (@Sendable (JournalWrite) async -> JournalError?)?
    private let afterCommit: (@Sendable (JournalWrite) async -> JournalError?)?
    private let onCommit: (@Sendable ([StoredEvent]) -> Void)?

    /// Opens a storage as another process.
    /// - Parameters:
    ///   - beforeCommit: runs before a write is made: it may take (simulated) time, and an error means that the write
    ///     was not made.
    ///   - afterCommit: runs when the write is durable and not yet acknowledged; an error hides that it was made.
    ///   - onCommit: receives the events of each write before it returns; it must not call the journal.
    public init(
        storage: Storage = Storage(), clock: any TillClock = SystemClock(),
        beforeCommit: (@Sendable (JournalWrite) async -> JournalError?)? = nil,
        afterCommit: (@Sendable (JournalWrite) async -> JournalError?)? = nil,
        onCommit: (@Sendable ([StoredEvent]) -> Void)? = nil
    ) {
        self.storage = storage
        self.clock = clock
        self.beforeCommit = beforeCommit
        self.afterCommit = afterCommit
        self.onCommit = onCommit
        owner = storage.state.withLock { state in
            state.lastOwner += 1
            state.living.insert(state.lastOwner)
            return state.lastOwner
        }
    }

    /// The state that a crash at this moment would leave.
    public var durable: Storage { storage.copy() }

    /// Ends this process without warning: every later call throws ``JournalError/closed``.
    public func crash() {
        storage.state.withLock { state in
            state.living.remove(owner)
            state.fenced.remove(owner)
        }
    }

    /// Simulates a stall for longer than the lease: other processes take over what this one held, reads still work, and
    /// every later write throws ``JournalError/leaseLost``.
    public func loseLease() {
        storage.state.withLock { state in
            state.living.remove(owner)
            state.fenced.insert(owner)
        }
    }

    public func holdsLease() async -> Bool { storage.state.withLock { $0.living.contains(owner) } }

    /// Ends this process; the same as a crash, since every write was durable when it returned.
    public func close() async throws(JournalError) { crash() }

    /// Writes atomically; see ``Journal/write(_:)``.
    public func write(_ write: JournalWrite) async throws(JournalError) {
        let prepared = try PreparedWrite(write, encodes: false)
        if let error = await beforeCommit?(write) { throw error }
        let onCommit = onCommit
        let result = try access { state -> Result<[StoredEvent], JournalError> in
            guard !state.fenced.contains(owner) else { return .failure(.leaseLost) }
            let result = state.apply(prepared, owner: owner, clock: clock)
            if case .success(let events) = result, !events.isEmpty { onCommit?(events) }
            return result
        }
        _ = try result.get()
        if let error = await afterCommit?(write) { throw error }
    }

    /// Returns a payment as the fold of its events; `nil` if there is none.
    public func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
        try access { $0.payment(id) }.get()
    }

    /// Returns the payment that the order currently belongs to; `nil` if it is free.
    public func livePayment(account: AccountID, order: OrderID) async throws(JournalError) -> Payment? {
        let occupant = try access { state -> Result<Payment?, JournalError> in
            guard let id = state.occupant(of: MemoryState.Place(account: account, order: order)) else {
                return .success(nil)
            }
            return state.payment(id)
        }
        return try occupant.get()
    }

    /// Returns payments by their rows, newest first.
    public func payments(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRow] {
        let limit = min(max(filter.limit, 1), JournalLimits.maximumPage)
        return try access { state in
            let (all, seen) = (state.rows, state)
            let rows = state.identifiers(before: filter.before).reversed().lazy.compactMap { all[$0]?.row }
            let wanted = rows.filter { row in
                (filter.account.map { $0 == row.account } ?? true) && (filter.order.map { $0 == row.order } ?? true)
                    && (filter.status.map { $0 == row.status } ?? true) && seen.isOf(filter, row.id)
            }
            return Array(wanted.prefix(limit))
        }
    }

    /// Returns all events of a payment, oldest first.
    public func events(of payment: PaymentID) async throws(JournalError) -> [StoredEvent] {
        try access { $0.events(of: payment) }
    }

    /// Returns events after a position in the journal, oldest first.
    public func events(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [StoredEvent] {
        let limit = min(max(limit, 1), JournalLimits.maximumPage)
        return try access { state in
            let start = min(max(Int(clamping: sequence), 0), state.events.count)
            let wanted = state.events[start...].lazy.filter { event in account.map { $0 == event.account } ?? true }
            return Array(wanted.prefix(limit))
        }
    }

    /// Returns payments with work due, most overdue first.
    public func due(
        at moment: Timestamp, after place: OutboxPlace?, limit: Int
    ) async throws(JournalError) -> [DuePayment] {
        try access { state in
            let found = state.outbox.compactMap { payment, entry -> DuePayment? in
                let isDue =
                    if let holder = entry.owner, holder != owner { !state.living.contains(holder) } else {
                        entry.due.map { $0 <= moment } ?? false
                    }
                let due = DuePayment(
                    payment: payment, provider: state.rows[payment]?.row.provider, moment: entry.due)
                return isDue && place.map { $0 < due.place } ?? true ? due : nil
            }
            return Array(found.sorted { $0.place < $1.place }.prefix(max(limit, 0)))
        }
    }

    /// Claims payments that are due and not held by another live process.
    public func claim(_ payments: [PaymentID], at moment: Timestamp) async throws(JournalError) -> Set<PaymentID> {
        try access { state in
            var claimed: Set<PaymentID> = []
            for payment in payments {
                guard let entry = state.outbox[payment] else { continue }
                if let holder = entry.owner, holder != owner {
                    guard !state.living.contains(holder) else { continue }
                    state.outbox[payment]?.due = min(entry.due ?? moment, moment)
                } else if entry.due.map({ $0 > moment }) ?? true {
                    continue
                }
                state.outbox[payment]?.owner = owner
                claimed.insert(payment)
            }
            return claimed
        }
    }

    /// Releases a payment that this process holds.
    public func release(_ payment: PaymentID) async throws(JournalError) {
        try access { state in
            if state.outbox[payment]?.owner == owner { state.outbox[payment]?.owner = nil }
        }
    }

    /// Returns the record under a key; `nil` if there is none or it has expired.
    public func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord? {
        try access { state in
            guard let record = state.record(scope), !record.isExpired(by: clock) else { return nil }
            return record
        }
    }

    /// Returns the time of the last written event.
    public func newestMoment() async throws(JournalError) -> Timestamp? { try access { $0.events.last?.record.at } }

    /// Returns outbox entries after `place`, earliest first.
    public func planned(after place: OutboxPlace, limit: Int) async throws(JournalError) -> [OutboxPlace] {
        try access { state in
            let places = state.outbox.compactMap { id, entry in entry.due.map { OutboxPlace(moment: $0, payment: id) } }
            return Array(places.filter { place < $0 }.sorted().prefix(max(limit, 0)))
        }
    }

    /// Returns the current state of a record.
    public func record(_ id: RecordID) async throws(JournalError) -> KeptRecord? {
        try access { $0.records.record(id, reader: owner, living: $0.living) }
    }

    /// Returns records of a collection.
    public func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
        try access { $0.records.records(query, reader: owner, living: $0.living) }
    }

    /// Returns the number of records.
    public func count(_ collection: RecordCollection, matching match: RecordMatch?) async throws(JournalError) -> Int {
        try access { $0.records.count(collection, match) }
    }

    /// Returns audit log entries in the order of the query.
    public func auditEntries(_ query: AuditQuery) async throws(JournalError) -> AuditPage {
        let entries = try access { $0.audit.entries }
        guard let before = query.before else {
            return AuditPage(entries.lazy.filter { $0.sequence > query.after }, query)
        }
        let reached = entries.filter { $0.sequence > query.after && $0.sequence < before }
        return AuditPage(reached.reversed() as [AuditEntry], query)
    }

    public func auditStanding() async throws(JournalError) -> AuditStanding { try access { $0.audit.standing } }

    /// Performs the checks of `SQLiteJournal.verify`.
    public func verify() throws(JournalError) -> VerificationReport {
        let state = storage.state.withLock { $0 }
        return state.verify()
    }

    private func access<Value>(_ body: (inout MemoryState) -> Value) throws(JournalError) -> Value {
        let result = storage.state.withLock { state -> Result<Value, JournalError> in
            guard state.living.contains(owner) || state.fenced.contains(owner) else { return .failure(.closed) }
            return .success(body(&state))
        }
        return try result.get()
    }
}
