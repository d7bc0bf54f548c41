import TillApplePay
import TillCore
import TillCounter
import TillJournal

/// The transactions seen, in the journal's record store: durable, and shared by all processes on it. A transaction is
/// claimed by committing a record under its identifier, which holds a digest of the order.
struct JournalReplayStore: ReplayStore {
    static let collection: RecordCollection = "wallet_transaction"
    /// The minimum retention of a transaction.
    static let retention = Span.days(30)

    let store: any RecordStore
    let clock: any TillClock

    func reserve(_ transaction: WalletTransactionID, for order: String, until: Timestamp) async -> Bool {
        let id = RecordID(Self.collection, transaction.description)
        let digest = digest(order.utf8)
        let now = clock.now()
        let record = Record(id, body: digest, due: max(until, now.adding(Self.retention)))
        do throws(JournalError) {
            try await store.change([.insert(record), .forget(Self.collection, dueBy: now)])
            return true
        } catch {
            // Anything but an existing record of the same order is a "no": a refused payment is better than a
            // duplicate.
            guard case .recordConflict = error, let known = try? await store.record(id) else { return false }
            return known.body == digest
        }
    }
}
