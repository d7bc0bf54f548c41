import TillCore
import TillJournal

/// The last `till journal backup` of a journal, as the audit log has it.
struct LastBackup: Hashable, Sendable {
    /// The maximum number of entries that are searched, the newest of the log.
    static let searchedEntries: Int64 = 5_000

    let at: Timestamp
    let path: String
    /// The head of the copy's chain, by which the copy is verified; `nil` if the entry lacks it.
    let head: String?

    /// Searches the newest entries of the audit log.
    /// - Returns: `nil` if there is no backup among them.
    init?(in journal: any CounterStore) async throws(JournalError) {
        let standing = try await journal.auditStanding()
        var place = max(standing.base.sequence, standing.head.sequence - LastBackup.searchedEntries)
        var found: AuditEntry?
        while place < standing.head.sequence {
            let page = try await journal.auditEntries(AuditQuery(after: place))
            found = page.entries.last { $0.note.action == .journalBackedUp } ?? found
            guard let next = page.next, next > place else { break }
            place = next
        }
        guard let found, let path = found.note.subject else { return nil }
        at = found.at
        self.path = path
        head = found.note.changes.first { $0.name == "head" }?.after
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("at", at.description)
        writer.field("path", path)
        writer.field("head", head)
        writer.endObject()
    }
}
