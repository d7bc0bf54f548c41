import TillBooks
import TillCore
import TillJournal

/// The input of reconciliation and ledger, with a planted fault.
struct PlantedBooks: JournalInFront, RecordStore {
    let base: MemoryJournal
    let plant: PlantedFault?

    func write(_ write: JournalWrite) async throws(JournalError) {
        guard plant == .feePostedTwice else { return try await base.write(write) }
        var twice = write
        for change in write.records {
            guard case .insertIfAbsent(var record) = change, record.id.collection == StatementEntry.collection else {
                continue
            }
            record.id.key += "-again"
            twice.records.append(.insertIfAbsent(record))
        }
        try await base.write(twice)
    }

    func events(after sequence: Int64, account: AccountID?, limit: Int) async throws(JournalError) -> [StoredEvent] {
        let page = try await base.events(after: sequence, account: account, limit: limit)
        guard plant == .refundLeftOutOfLedger else { return page }
        return page.filter {
            guard case .refunded = $0.record.event else { return true }
            return false
        }
    }
}
