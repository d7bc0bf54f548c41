import TillCore

/// The record store in memory.
struct MemoryRecords: Sendable {
    private struct Entry: Sendable {
        var record: Record
        var version: Int
        var owner: Int64?
        var createdAt: Timestamp
        var updatedAt: Timestamp
        var position: Int64
    }

    private var entries: [RecordID: Entry] = [:]
    private var lastPosition: Int64 = 0

    func record(_ id: RecordID, reader: Int64, living: Set<Int64>) -> KeptRecord? {
        entries[id].map { MemoryRecords.stored($0, reader, living) }
    }

    func records(_ query: RecordQuery, reader: Int64, living: Set<Int64>) -> [KeptRecord] {
        let found = matching(query.collection, query.match)
        let sorted: [Entry]
        switch query.order {
        case .oldestFirst(let position):
            sorted = found.filter { $0.position > position ?? .min }.sorted { $0.position < $1.position }
        case .newestFirst(let position):
            sorted = found.filter { $0.position < position ?? .max }.sorted { $0.position > $1.position }
        case .due(let moment): sorted = MemoryRecords.due(found, by: moment)
        }
        return sorted.prefix(query.boundedLimit).map { MemoryRecords.stored($0, reader, living) }
    }

    func count(_ collection: RecordCollection, _ match: RecordMatch?) -> Int { matching(collection, match).count }

    /// Returns the conflict of the first change that expects another version of its record.
    func refusal(of changes: [RecordChange]) -> JournalError? {
        for change in changes {
            guard let id = change.id, let expected = change.expectedVersion else { continue }
            let current = entries[id]?.version ?? 0
            guard current == expected else { return .recordConflict(id, current: current) }
        }
        return nil
    }

    /// Applies changes that passed the check.
    mutating func apply(_ changes: [RecordChange], owner: Int64, now: Timestamp, forgets: Bool) {
        for change in changes {
            switch change {
            case .insert(let record), .insertIfAbsent(let record):
                guard entries[record.id] == nil else { continue }
                lastPosition += 1
                entries[record.id] = Entry(
                    record: record, version: 1, owner: record.isHeld ? owner : nil, createdAt: now, updatedAt: now,
                    position: lastPosition)
            case .update(let record, _):
                entries[record.id]?.record = record
                entries[record.id]?.version += 1
                entries[record.id]?.owner = record.isHeld ? owner : nil
                entries[record.id]?.updatedAt = now
            case .delete(let id, _), .remove(let id): entries[id] = nil
            case .forget, .keepNewest: continue
            }
        }
        for change in changes {
            var old: [Entry] = []
            switch change {
            case .forget(let collection, let moment):
                guard forgets else { continue }
                old = MemoryRecords.due(matching(collection, nil), by: moment)
            case .keepNewest(let limit, let collection, let match):
                old = matching(collection, match).sorted { $0.position < $1.position }.dropLast(max(0, limit))
            case .insert, .insertIfAbsent, .update, .delete, .remove: continue
            }
            for entry in old.prefix(RecordLimits.maximumForgotten) { entries[entry.record.id] = nil }
        }
    }

    private func matching(_ collection: RecordCollection, _ match: RecordMatch?) -> [Entry] {
        entries.values.filter { entry in
            entry.record.id.collection == collection
                && (match.map { entry.record.fields[$0.field] == $0.value } ?? true)
        }
    }

    private static func due(_ entries: [Entry], by moment: Timestamp) -> [Entry] {
        entries.filter { entry in entry.record.due.map { $0 <= moment } ?? false }
            .sorted { ($0.record.due ?? moment, $0.position) < ($1.record.due ?? moment, $1.position) }
    }

    private static func stored(_ entry: Entry, _ reader: Int64, _ living: Set<Int64>) -> KeptRecord {
        KeptRecord(
            id: entry.record.id, version: entry.version, body: entry.record.body, due: entry.record.due,
            holder: RecordHolder(owner: entry.owner, reader: reader) { living.contains($0) },
            createdAt: entry.createdAt, updatedAt: entry.updatedAt, position: entry.position)
    }
}

extension RecordHolder {
    /// Derives the holder of a record, as seen by a reader, from the owner's number.
    package init(owner: Int64?, reader: Int64, isAlive: (Int64) -> Bool) {
        guard let owner else {
            self = .nobody
            return
        }
        self = owner == reader ? .thisProcess : isAlive(owner) ? .anotherProcess : .deadProcess
    }
}
