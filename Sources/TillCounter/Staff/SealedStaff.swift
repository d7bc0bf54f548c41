import TillCore
import TillJournal

/// The state of staff and role records according to the audit log: the state after each record's last entry, and any
/// mismatch between an entry and its predecessor.
struct SealedStaff: Sendable {
    enum Standing: Hashable, Sendable {
        case sealed(String)
        case removed
        /// The last entry was written by a release without seals.
        case unsealed
    }

    /// The state of a record after its last entry.
    struct Known: Sendable {
        var standing: Standing
        var account: AccountID
        var entry: Int64
        /// The display name of the record's subject.
        var whose: String

        init(standing: Standing, account: AccountID, entry: Int64, whose: String) {
            (self.standing, self.account, self.entry, self.whose) = (standing, account, entry, whose)
        }
    }

    private(set) var records: [RecordID: Known] = [:]
    /// The seal over all records of an account after its last entry; absent if that entry had no seal.
    private(set) var wholes: [AccountID: String] = [:]
    /// All accounts with audit entries.
    private(set) var accounts: Set<AccountID> = []
    /// The entries with a prior state that differs from the state after the preceding entry.
    private(set) var problems: [String] = []
    /// The last entry read.
    private var last: Int64 = 0

    /// Reads from the last position to the end of the log, page by page.
    mutating func read(_ log: any AuditLog) async throws(JournalError) {
        while true {
            let page = try await log.auditEntries(AuditQuery(after: last))
            for entry in page.entries { take(entry) }
            last = page.next ?? page.entries.last?.sequence ?? last
            guard page.next != nil else { return }
        }
    }

    private mutating func take(_ entry: AuditEntry) {
        let note = entry.note
        guard let account = note.account, let id = SealedStaff.record(of: note, in: account) else { return }
        let known = records[id]
        let seal = note.changes.last { $0.name == StaffSeals.one }
        let whole = note.changes.last { $0.name == StaffSeals.all }
        let whose = SealedStaff.whose(id, note)
        accounts.insert(account)
        if let seal, let known, SealedStaff.isOther(seal.before, known.standing) {
            problem("\(whose) was changed past the counter between the entries \(known.entry) and \(entry.sequence)")
        } else if let kept = wholes[account], let whole, whole.before != kept {
            problem("a person or role of \(account) was changed past the counter before the entry \(entry.sequence)")
        }
        var standing = Standing.unsealed
        if let after = seal?.after { standing = .sealed(after) }
        if note.action == .personRemoved || note.action == .roleRemoved { standing = .removed }
        records[id] = Known(standing: standing, account: account, entry: entry.sequence, whose: whose)
        wholes[account] = whole?.after
    }

    private mutating func problem(_ text: String) {
        guard problems.count < StaffCheck.maximumProblems else { return }
        problems.append(
            "\(text) of the audit log. Ask who may write the journal, and look at all people and roles with till staff "
                + "list and till roles list; this stays named as long as the entry is kept")
    }

    /// Returns `true` if the state before an entry differs from the state after the record's previous entry.
    private static func isOther(_ before: String?, _ standing: Standing) -> Bool {
        switch standing {
        case .sealed(let kept): before != kept
        case .removed: before != nil
        case .unsealed: false
        }
    }

    /// Returns the record that an entry concerns; `nil` for any other kind of entry.
    private static func record(of note: AuditNote, in account: AccountID) -> RecordID? {
        guard let subject = note.subject else { return nil }
        return switch note.action {
        case .personAdded, .personChanged, .personInvited, .credentialChanged, .personRemoved:
            RecordID(StaffRecord.collection, subject)
        case .roleChanged, .roleRemoved:
            RecordID(StaffRoleRecord.collection, StaffRoleRecord.key(account, subject))
        default: nil
        }
    }

    private static func whose(_ id: RecordID, _ note: AuditNote) -> String {
        guard id.collection == StaffRecord.collection else { return "the role \(shown(id.key))" }
        let name = note.changes.first { $0.name == "name" }?.after
        return "\(name.map(shown) ?? "somebody") (\(shown(id.key)))"
    }

    /// Makes a text from the journal safe to display.
    static func shown(_ text: String) -> String { text.isOneLine ? String(text.prefix(80)) : "(not one line)" }
}
