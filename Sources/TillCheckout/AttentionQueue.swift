public import TillCore
public import TillJournal

/// The operators' queue: all open review items of all payments, oldest first.
///
/// ```swift
/// import TillJournal
///
/// for found in try await AttentionQueue(journal).open(account: .main) {
///     print(found.payment.id, found.item.attention.nextStep)
/// }
/// ```
///
/// Entries are written in the same commit as the event that raised them, and each is checked against the payment itself
/// when it is read. Entries of a journal that predates the queue are created once, from its events.
public struct AttentionQueue: Sendable {
    /// A queue item and its payment.
    public struct Found: Sendable {
        public let payment: Payment
        public let item: AttentionItem
    }

    /// The number of events read at a time while an older journal is indexed.
    static let indexedAtOnce = 500

    private let journal: any Journal & RecordStore
    private let clock: any TillClock
    private static let marker = RecordID("attention-index", "1")

    public init(_ journal: any Journal & RecordStore, clock: any TillClock = SystemClock()) {
        (self.journal, self.clock) = (journal, clock)
    }

    /// Returns the open items, oldest first.
    /// - Parameters:
    ///   - account: The account to list; `nil` lists all accounts.
    ///   - limit: The most payments to read, 1 to `RecordLimits.maximumPage`.
    public func open(account: AccountID?, limit: Int = RecordLimits.maximumPage) async throws(JournalError) -> [Found] {
        try await index()
        let query = RecordQuery(
            AttentionEntry.collection, matching: account.map { RecordMatch("account", $0.rawValue) },
            .due(by: Timestamp(milliseconds: .max)), limit: limit)
        var found: [Found] = []
        for record in try await journal.records(query) {
            let entry = try AttentionEntry(record)
            // An unreadable payment keeps its entry and becomes an incident, listed separately.
            let stored: Payment?
            switch try await journal.readable(entry.payment) {
            case .success(let found): stored = found
            case .failure(let unreadable):
                await IncidentLog(journal).keep(unreadable, of: nil, at: clock.now())
                continue
            }
            guard let payment = stored, !payment.openAttention.isEmpty else {
                try await remove(record)
                continue
            }
            found += payment.openAttention.map { Found(payment: payment, item: $0) }
        }
        return found.sorted { ($0.item.since, $0.payment.id.rawValue) < ($1.item.since, $1.payment.id.rawValue) }
    }

    /// Returns the number of payments with open items and the time of the oldest item, without reading a payment.
    public func standing() async throws(JournalError) -> (payments: Int, oldest: Timestamp?) {
        try await index()
        let oldest = try await journal.records(
            RecordQuery(AttentionEntry.collection, .due(by: Timestamp(milliseconds: .max)), limit: 1))
        return (
            try await journal.count(AttentionEntry.collection, matching: nil),
            try oldest.first.map { (record) throws(JournalError) in try AttentionEntry(record).since }
        )
    }

    /// Removes the entry of a payment that has nothing left to review. If an item was raised in the meantime, the entry
    /// is written again.
    private func remove(_ record: KeptRecord) async throws(JournalError) {
        do throws(JournalError) { try await journal.change([.delete(record.id, from: record.version)]) } catch {
            guard case .recordConflict = error else { throw error }
        }
        let id = PaymentID(rawValue: record.id.key)
        guard case .success(let payment?) = try await journal.readable(id), let entry = AttentionEntry(payment) else {
            return
        }
        try await journal.change([.insertIfAbsent(entry.record)])
    }

    private func index() async throws(JournalError) {
        guard try await journal.record(AttentionQueue.marker) == nil else { return }
        var sequence: Int64 = 0
        while true {
            let page = try await journal.readings(after: sequence, account: nil, limit: AttentionQueue.indexedAtOnce)
            guard let last = page.last else { break }
            sequence = last.sequence
            var seen: Set<PaymentID> = []
            for reading in page {
                guard case .event(let event) = reading, case .attentionRequired = event.record.event,
                    seen.insert(event.payment).inserted,
                    case .success(let payment?) = try await journal.readable(event.payment),
                    let entry = AttentionEntry(payment)
                else { continue }
                try await journal.change([.insertIfAbsent(entry.record)])
            }
        }
        try await journal.change([.insertIfAbsent(Record(AttentionQueue.marker, body: Array("{}".utf8)))])
    }
}
