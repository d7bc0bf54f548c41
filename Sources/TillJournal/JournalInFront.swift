package import TillCore

/// A decorator of a journal: it forwards everything that it does not implement itself.
package protocol JournalInFront: Journal {
    associatedtype Base: Journal
    /// The decorated journal.
    var base: Base { get }
}

extension JournalInFront {
    package func holdsLease() async -> Bool { await base.holdsLease() }
    package func payment(_ id: PaymentID) async throws(JournalError) -> Payment? { try await base.payment(id) }
    package func livePayment(account: AccountID, order: OrderID) async throws(JournalError) -> Payment? {
        try await base.livePayment(account: account, order: order)
    }
    package func payments(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRow] {
        try await base.payments(filter)
    }
    package func rowReadings(_ filter: PaymentFilter) async throws(JournalError) -> [PaymentRowReading] {
        try await base.rowReadings(filter)
    }
    package func events(of payment: PaymentID) async throws(JournalError) -> [StoredEvent] {
        try await base.events(of: payment)
    }
    package func events(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [StoredEvent] {
        try await base.events(after: sequence, account: account, limit: limit)
    }
    package func due(
        at moment: Timestamp, after place: OutboxPlace?, limit: Int
    ) async throws(JournalError) -> [DuePayment] {
        try await base.due(at: moment, after: place, limit: limit)
    }
    package func claim(
        _ payments: [PaymentID], at moment: Timestamp
    ) async throws(JournalError) -> Set<PaymentID> {
        try await base.claim(payments, at: moment)
    }
    package func release(_ payment: PaymentID) async throws(JournalError) { try await base.release(payment) }
    package func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord? {
        try await base.idempotency(scope)
    }
    package func newestMoment() async throws(JournalError) -> Timestamp? { try await base.newestMoment() }
    package func planned(after place: OutboxPlace, limit: Int) async throws(JournalError) -> [OutboxPlace] {
        try await base.planned(after: place, limit: limit)
    }
    package func chainHead(after sequence: Int64) async throws(JournalError) -> ChainHead? {
        try await base.chainHead(after: sequence)
    }
}

extension JournalInFront where Self: RecordStore, Base: RecordStore {
    package func record(_ id: RecordID) async throws(JournalError) -> KeptRecord? { try await base.record(id) }
    package func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
        try await base.records(query)
    }
    package func count(
        _ collection: RecordCollection, matching match: RecordMatch?
    ) async throws(JournalError) -> Int {
        try await base.count(collection, matching: match)
    }
}
