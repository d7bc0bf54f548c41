import TillCore
import TillJournal

/// The movements of payments as they will be after the lines of a batch are written; those of each payment are read
/// once.
///
/// Guarantee: a movement is matched with at most one line of the batch, although nothing is written yet.
struct MovementCache {
    /// A movement and the version of its record.
    typealias Movement = (settlement: Settlement, version: Int)

    private let journal: any Journal & RecordStore
    private var known: [PaymentID: [Movement]] = [:]
    private var changed: [String: Movement] = [:]

    init(_ journal: any Journal & RecordStore) { self.journal = journal }

    /// The number of records that ``changes`` writes.
    var count: Int { changed.count }

    /// The movements matched by the batch, for its commit.
    var changes: [RecordChange] {
        changed.values.sorted { $0.settlement.id < $1.settlement.id }
            .map { .update($0.settlement.record, from: $0.version) }
    }

    /// Returns all movements of a payment, oldest first; empty for a payment without movements or of another journal.
    mutating func movements(of payment: PaymentID) async throws(JournalError) -> [Movement] {
        if let known = known[payment] { return known }
        let records = try await journal.records(
            RecordQuery(Settlement.collection, matching: Settlement.of(payment), .oldestFirst()))
        let found = try records.map { (record) throws(JournalError) -> Movement in
            (try Settlement(record), record.version)
        }
        known[payment] = found
        return found
    }

    /// Marks a movement as matched with a line.
    mutating func match(_ movement: Movement, with line: String) {
        var matched = movement
        matched.settlement.state = .matched
        matched.settlement.line = line
        changed[matched.settlement.id] = matched
        let payment = matched.settlement.payment
        guard let place = known[payment]?.firstIndex(where: { $0.settlement.id == matched.settlement.id }) else {
            return
        }
        known[payment]?[place] = matched
    }
}
