import TillCore
import TillJournal

/// What the audit log says of the records of people and roles: how each was left by its last entry, and whether it was
/// so before each entry that follows.
struct SealedStaff: Sendable {
    enum Standing: Hashable, Sendable {
        case sealed(String)
        case removed
        /// Its last entry is of a release that made no seals.
        case unsealed
    }

    /// A record by its last entry.
    struct Known: Sendable {
        var standing: Standing
        var account: AccountID
        var entry: Int64
        /// Whose record it is, for people.
        var whose: String
    }

    private(set) var records: [RecordID: Known] = [:]
    /// The seal of all records of an account after its last entry; none where that had no seal.
    private(set) var wholes: [AccountID: String] = [:]
    /// All that there is an entry about.
    private(set) var accounts: Set<AccountID> = []
    /// Entries before which a record was no more what the entry before had left.
    private(set) var problems: [String] = []
    /// The entry up to which the log was read.
    private var last: Int64 = 0

    /// Reads on, page by page, up to the end of the log.
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

    /// Whether a record before an entry is not what its last entry had left.
    private static func isOther(_ before: String?, _ standing: Standing) -> Bool {
        switch standing {
        case .sealed(let kept): before != kept
        case .removed: before != nil
        case .unsealed: false
        }
    }

    /// The record that an entry is about; `nil` for one about something else.
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

    /// A text of the journal on a person's screen.
    static func shown(_ text: String) -> String { text.isOneLine ? String(text.prefix(80)) : "(not one line)" }
}
