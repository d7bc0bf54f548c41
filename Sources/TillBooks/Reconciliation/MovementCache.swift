import TillCore
import TillJournal

/// Movements of payments as they will stand once the lines of a batch are written, each payment's read once.
///
/// Guarantee: a movement that a line of the batch shows is shown by no other line of it, although nothing is written
/// yet.
struct MovementCache {
    /// A movement and the version of its record.
    typealias Movement = (settlement: Settlement, version: Int)

    private let journal: any Journal & RecordStore
    private var known: [PaymentID: [Movement]] = [:]
    private var changed: [String: Movement] = [:]

    init(_ journal: any Journal & RecordStore) { self.journal = journal }

    /// How many records ``changes`` writes.
    var count: Int { changed.count }

    /// The movements that lines show now, for the commit of the batch.
    var changes: [RecordChange] {
        changed.values.sorted { $0.settlement.id < $1.settlement.id }
            .map { .update($0.settlement.record, from: $0.version) }
    }

    /// All movements of a payment, the oldest first; empty for a payment that has none or is not of this journal.
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

    /// A line shows a movement from now on.
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
