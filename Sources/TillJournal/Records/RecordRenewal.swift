/// Writes the records of a collection once more, so that records of an earlier version get the index values and due
/// times of this one. A renewal that has finished is recorded and never runs again; one that broke off begins anew.
package enum RecordRenewal {
    /// The collection of the finished renewals.
    static let collection: RecordCollection = "record_renewal"
    /// The number of records that are read and written at once.
    static let page = 100

    /// Renews a collection, unless that was done before.
    /// - Parameters:
    ///   - name: the name of the renewal; stored, so it never changes.
    ///   - body: returns the record to be written in place of the one that was read; `nil` to leave it unchanged. A
    ///     record that cannot be decoded is left unchanged.
    package static func run(
        _ name: String, of records: RecordCollection, in store: any RecordStore,
        _ body: @Sendable (KeptRecord) throws(JournalError) -> Record?
    ) async throws(JournalError) {
        let mark = RecordID(collection, name)
        guard try await store.record(mark) == nil else { return }
        var position: Int64?
        while true {
            let found = try await store.records(RecordQuery(records, .oldestFirst(after: position), limit: page))
            guard let last = found.last else { break }
            position = last.position
            var updates: [RecordChange] = []
            for kept in found {
                // A record that a process holds is written by that process, in its present form.
                guard kept.holder == .nobody else { continue }
                do throws(JournalError) {
                    guard var record = try body(kept) else { continue }
                    // Who renews a record does not work on it.
                    record.isHeld = false
                    updates.append(.update(record, from: kept.version))
                } catch { continue }
            }
            try await write(updates, in: store)
        }
        try await store.change([.insertIfAbsent(Record(mark, body: Array("{}".utf8)))])
    }

    /// Writes updates. A record that another process has changed meanwhile has its present form already.
    private static func write(_ updates: [RecordChange], in store: any RecordStore) async throws(JournalError) {
        guard !updates.isEmpty else { return }
        do throws(JournalError) {
            return try await store.change(updates)
        } catch { guard case .recordConflict = error else { throw error } }
        for update in updates {
            do throws(JournalError) { try await store.change([update]) } catch {
                guard case .recordConflict = error else { throw error }
            }
        }
    }
}
