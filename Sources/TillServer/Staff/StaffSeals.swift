import TillCore
public import TillJournal

/// The seals of an account's people and roles: a digest of each record, and one of all of them. Each entry of the audit
/// log about a person or a role has them as they were before and after its change, so that a record that was changed
/// past the counter is seen (``StaffCheck``).
///
/// A seal covers what is kept of a PIN, which is salted and peppered: it helps nobody to guess one.
struct StaffSeals: Sendable {
    /// What changed of an entry: the record that it is about, and all records of the account.
    static let one = "record"
    static let all = "staff_records"

    private static let collections = [StaffRecord.collection, StaffRoleRecord.collection]

    /// By record.
    private(set) var seals: [RecordID: String] = [:]

    init() {}

    /// Those of the records that the counter finds for an account.
    init(of account: AccountID, in store: any RecordStore) async throws(JournalError) {
        var found: [RecordID: String] = [:]
        try await StaffSeals.forEach(of: account, in: store) { found[$0.id] = StaffSeals.seal($0.id, $0.body) }
        seals = found
    }

    /// Hands out people and roles page by page: those that the counter finds for an account, or, without one, all that
    /// there are.
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

    /// The digest of a record as it is written: of its name and its body, which the journal keeps byte for byte. When
    /// it was written stands beside it, and is not in it.
    static func seal(_ id: RecordID, _ body: [UInt8]) -> String {
        letters(digest(Array("\(id.collection.rawValue)/\(id.key)\u{0}".utf8) + body))
    }

    /// The digest of all seals in their order.
    var whole: String { StaffSeals.letters(digest(seals.values.sorted().joined(separator: "").utf8)) }

    /// An entry with the seals that its commit changes; on this state.
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

    /// Hexadecimal with the letters a to p: twelve digits in a row would be masked in the audit log as those of a card.
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
    /// Whether it is a digest for `till journal verify`, which tells a person nothing.
    public var isSeal: Bool { name == StaffSeals.one || name == StaffSeals.all }
}
