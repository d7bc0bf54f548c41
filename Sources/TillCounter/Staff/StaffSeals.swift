import TillCore
public import TillJournal

/// The seals of an account's staff and role records: a digest of each record, and one of all of them. Each audit entry
/// about a person or a role has the seals before and after its change, so that a record modified outside the counter is
/// detected (``StaffCheck``).
///
/// A seal covers the stored PIN hash, which is salted and peppered, so it does not help with guessing a PIN.
struct StaffSeals: Sendable {
    /// The names of the changes in an audit entry: the seal of the record concerned, and the seal of all records of the
    /// account.
    static let one = "record"
    static let all = "staff_records"

    private static let collections = [StaffRecord.collection, StaffRoleRecord.collection]

    /// The seals by record.
    private(set) var seals: [RecordID: String] = [:]

    init() {}

    /// Computes the seals of the records of an account.
    init(of account: AccountID, in store: any RecordStore) async throws(JournalError) {
        var found: [RecordID: String] = [:]
        try await StaffSeals.forEach(of: account, in: store) { found[$0.id] = StaffSeals.seal($0.id, $0.body) }
        seals = found
    }

    /// Calls `body` with people and roles page by page: those of an account, or all of them without one.
    static func forEach(
        of account: AccountID?, in store: any RecordStore, _ body: (KeptRecord) -> Void
    ) async throws(JournalError) {
        let matches = [account.map { StaffRecord.of($0) }, account.map { StaffRoleRecord.of($0) }]
        for (collection, match) in zip(collections, matches) {
            var position: Int64?
            while true {
                let page = try await store.records(
                    RecordQuery(collection, matching: match, .oldestFirst(after: position)))
                guard let last = page.last else { break }
                position = last.position
                for kept in page { body(kept) }
            }
        }
    }

    /// Returns the digest of a record's name and body, which the journal stores byte for byte. Excludes the write time,
    /// which is stored beside the body.
    static func seal(_ id: RecordID, _ body: [UInt8]) -> String {
        letters(digest(Array("\(id.collection.rawValue)/\(id.key)\u{0}".utf8) + body))
    }

    /// The digest of all seals, sorted.
    var whole: String { StaffSeals.letters(digest(seals.values.sorted().joined(separator: "").utf8)) }

    /// Returns the note with the seals that its commit changes, relative to this state.
    func sealing(_ note: AuditNote, of changes: [RecordChange]) -> AuditNote {
        var after = self
        var note = note
        for change in changes {
            guard let id = change.id, StaffSeals.collections.contains(id.collection) else { continue }
            after.seals[id] = change.record.map { StaffSeals.seal(id, $0.body) }
            note.changes.append(AuditChange(StaffSeals.one, from: seals[id], to: after.seals[id]))
        }
        note.changes.append(AuditChange(StaffSeals.all, from: whole, to: after.whole))
        return note
    }

    /// Returns hexadecimal with the letters a to p: the audit log would mask twelve digits in a row as a card number.
    private static func letters(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(0x61 + (byte >> 4))
            text.append(0x61 + (byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension AuditChange {
    /// `true` for a digest that only `till journal verify` uses.
    public var isSeal: Bool { name == StaffSeals.one || name == StaffSeals.all }
}
