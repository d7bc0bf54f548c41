import TillJournal

/// On which machine each log of stored cards lies. Of several counters on one journal each has a log of its own, and
/// can say only of that one whether it is whole.
struct OfflineLogPlaces: Sendable {
    static let collection: RecordCollection = "offline_log"

    let store: any RecordStore
    /// Of this counter's log.
    let here: String

    private func id(_ log: String) -> RecordID { RecordID(Self.collection, log) }

    /// The log was opened on another machine, or in another folder. One that was never opened under this Till may be
    /// this counter's.
    func isElsewhere(_ log: String) async throws(JournalError) -> Bool {
        guard let kept = try await store.record(id(log)) else { return false }
        return kept.body != Array(here.utf8)
    }

    /// The log is here now.
    func note(_ log: String) async throws(JournalError) {
        let record = Record(id(log), body: Array(here.utf8))
        guard let kept = try await store.record(record.id) else {
            return try await store.change([.insertIfAbsent(record)])
        }
        guard kept.body != record.body else { return }
        try await store.change([.update(record, from: kept.version)])
    }
}
