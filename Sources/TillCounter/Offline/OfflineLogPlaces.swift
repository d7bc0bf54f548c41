import TillJournal

/// The location of each log of stored cards. Counters on one journal each have a log of their own and can vouch for the
/// completeness of only that one.
struct OfflineLogPlaces: Sendable {
    static let collection: RecordCollection = "offline_log"

    let store: any RecordStore
    /// The location of this counter's log.
    let here: String

    private func id(_ log: String) -> RecordID { RecordID(Self.collection, log) }

    /// Returns `true` if the log was opened on another machine or in another folder. A log never opened under this Till
    /// may be this counter's.
    func isElsewhere(_ log: String) async throws(JournalError) -> Bool {
        guard let kept = try await store.record(id(log)) else { return false }
        return kept.body != Array(here.utf8)
    }

    /// Records this counter as the log's location.
    func note(_ log: String) async throws(JournalError) {
        let record = Record(id(log), body: Array(here.utf8))
        guard let kept = try await store.record(record.id) else {
            return try await store.change([.insertIfAbsent(record)])
        }
        guard kept.body != record.body else { return }
        try await store.change([.update(record, from: kept.version)])
    }
}
