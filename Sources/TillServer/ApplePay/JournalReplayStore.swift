import TillApplePay
import TillCore
import TillJournal

/// Transactions that were seen, in the journal: durable, and shared by all processes that work on it.
///
/// A transaction is taken by the commit of a record under its name. It stays a record in flight, because of those the
/// journal lets one order's in; a finished one would take the place of what is there.
struct JournalReplayStore: ReplayStore {
    let journal: any Journal
    let clock: any TillClock

    func reserve(_ transaction: WalletTransactionID, for order: String, until: Timestamp) async -> Bool {
        let fingerprint = digest(order.utf8)
        var write = JournalWrite()
        write.idempotency = IdempotencyRecord(
            scope: IdempotencyScope(
                account: .main, operation: "applepay transaction", key: transaction.description),
            fingerprint: fingerprint, request: Array("{}".utf8), createdAt: clock.now(),
            state: .inFlight(payment: nil, operation: nil))
        do throws(JournalError) {
            try await journal.write(write)
            return true
        } catch {
            // Anything but our own record of the same order is a "no": better a refused payment than one taken twice.
            guard case .idempotencyExists(let record) = error else { return false }
            return record.fingerprint == fingerprint
        }
    }
}
