public import TillCore

/// One change of the record store. All changes of a write are judged first, then made in their order; those
/// that forget come last.
public enum RecordChange: Hashable, Sendable {
    /// A new record, refused if there is one of its name.
    case insert(Record)
    /// A new record; nothing is changed if there is one of its name.
    case insertIfAbsent(Record)
    /// Another body, other fields, due time and holder for a record that is still at this version.
    case update(Record, from: Int)
    /// Removes a record that is still at this version.
    case delete(RecordID, from: Int)
    /// Removes a record at whatever version; nothing is changed if there is none. For what is derived from events that
    /// the same write appends.
    case remove(RecordID)
    /// Retention by age: removes records whose due time is not after this one, the most overdue
    /// first, at most ``RecordLimits/maximumForgotten``.
    case forget(RecordCollection, dueBy: Timestamp)
    /// Retention by number: of the records of a collection, or of those that carry a field's value, removes the oldest
    /// beyond a limit, at most ``RecordLimits/maximumForgotten``.
    case keepNewest(Int, of: RecordCollection, matching: RecordMatch?)

    /// The record instead of the one that was read, or a new one if none was.
    public static func put(_ record: Record, over known: KeptRecord?) -> RecordChange {
        if let known { .update(record, from: known.version) } else { .insert(record) }
    }

    /// Changes nothing, and refuses the whole write if there is a record of that name: a condition for the rest.
    public static func absent(_ id: RecordID) -> RecordChange { .delete(id, from: 0) }

    /// The record that it is about; `nil` for retention.
    public var id: RecordID? {
        switch self {
        case .insert(let record), .insertIfAbsent(let record), .update(let record, _): record.id
        case .delete(let id, _), .remove(let id): id
        case .forget, .keepNewest: nil
        }
    }

    /// The record that it writes, if it writes one.
    package var record: Record? {
        switch self {
        case .insert(let record), .insertIfAbsent(let record), .update(let record, _): record
        case .delete, .remove, .forget, .keepNewest: nil
        }
    }

    /// The version that the record must have, with 0 for "must not be there"; `nil` if it does not matter.
    package var expectedVersion: Int? {
        switch self {
        case .insert: 0
        case .update(_, let version), .delete(_, let version): version
        case .insertIfAbsent, .remove, .forget, .keepNewest: nil
        }
    }
}

extension [RecordChange] {
    /// - Throws: ``JournalError/corrupted(_:)`` for what is beyond ``RecordLimits``, or two changes of one record.
    func check() throws(JournalError) {
        guard count <= RecordLimits.maximumChanges else {
            throw .corrupted("a write has \(count) records; at most \(RecordLimits.maximumChanges) go together")
        }
        var seen: Set<RecordID> = []
        for change in self {
            guard let id = change.id else { continue }
            guard seen.insert(id).inserted else { throw .corrupted("a write changes the record \(id) twice") }
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
