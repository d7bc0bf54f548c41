public import TillCore

/// A change of the record store. All changes of a write are checked first, then applied in order; retention changes
/// come last.
public enum RecordChange: Hashable, Sendable {
    /// Inserts a record; refused if the identifier exists.
    case insert(Record)
    /// Inserts a record unless the identifier exists.
    case insertIfAbsent(Record)
    /// Replaces body, fields, due time and holder of a record that is still at this version.
    case update(Record, from: Int)
    /// Deletes a record that is still at this version.
    case delete(RecordID, from: Int)
    /// Deletes a record at any version; no effect if there is none. For data derived from events that the same write
    /// appends.
    case remove(RecordID)
    /// Retention by age: deletes records due at or before this time, most overdue first, at most
    /// ``RecordLimits/maximumForgotten``.
    case forget(RecordCollection, dueBy: Timestamp)
    /// Retention by number: deletes the oldest records of a collection, or of those with a field value, beyond a limit,
    /// at most ``RecordLimits/maximumForgotten``.
    case keepNewest(Int, of: RecordCollection, matching: RecordMatch?)

    /// Returns an update of the record that was read, or an insertion if there was none.
    public static func put(_ record: Record, over known: KeptRecord?) -> RecordChange {
        if let known { .update(record, from: known.version) } else { .insert(record) }
    }

    /// Returns a precondition: changes nothing, and refuses the whole write if the record exists.
    public static func absent(_ id: RecordID) -> RecordChange { .delete(id, from: 0) }

    /// `true` for such a precondition.
    package var isCondition: Bool { if case .delete(_, from: 0) = self { true } else { false } }

    /// The record concerned; `nil` for retention.
    public var id: RecordID? {
        switch self {
        case .insert(let record), .insertIfAbsent(let record), .update(let record, _): record.id
        case .delete(let id, _), .remove(let id): id
        case .forget, .keepNewest: nil
        }
    }

    /// The record to write, if any.
    package var record: Record? {
        switch self {
        case .insert(let record), .insertIfAbsent(let record), .update(let record, _): record
        case .delete, .remove, .forget, .keepNewest: nil
        }
    }

    /// The required version of the record, 0 for a record that must not exist; `nil` for any.
    package var expectedVersion: Int? {
        switch self {
        case .insert: 0
        case .update(_, let version), .delete(_, let version): version
        case .insertIfAbsent, .remove, .forget, .keepNewest: nil
        }
    }
}

extension [RecordChange] {
    /// - Throws: ``JournalError/corrupted(_:)`` for changes beyond ``RecordLimits``, or two changes of one record.
    func check() throws(JournalError) {
        guard count <= RecordLimits.maximumChanges else {
            throw .corrupted("a write has \(count) records; at most \(RecordLimits.maximumChanges) go together")
        }
        // A sale has three or four: comparing them one by one costs less than a set. Many go through one, so that no
        // write costs quadratic time.
        let isFew = count <= 8
        var seen: Set<RecordID> = []
        for (index, change) in enumerated() {
            guard let id = change.id else { continue }
            let isNew = isFew ? !prefix(index).contains { $0.id == id } : seen.insert(id).inserted
            guard isNew else { throw .corrupted("a write changes the record \(id) twice") }
            guard (1...RecordLimits.maximumKeyBytes).contains(id.key.utf8.count),
                (1...RecordLimits.maximumNameBytes).contains(id.collection.rawValue.utf8.count)
            else {
                throw .corrupted("a record of \(id.collection.rawValue.prefix(64)) has a key of no or too many bytes")
            }
            guard let record = change.record else { continue }
            guard record.body.count <= RecordLimits.maximumBodyBytes else {
                throw .corrupted(
                    "the record \(id) has \(record.body.count) bytes; at most \(RecordLimits.maximumBodyBytes) are kept"
                )
            }
            guard record.fields.count <= RecordLimits.maximumFields,
                record.fields.allSatisfy({ name, value in
                    name.utf8.count <= RecordLimits.maximumNameBytes
                        && value.utf8.count <= RecordLimits.maximumKeyBytes
                })
            else { throw .corrupted("the record \(id) has too many or too long fields") }
        }
    }
}
