import TillCore
public import TillJournal

/// Verification of staff and role records against the audit log, for `till journal verify`. A record modified directly
/// in the database no longer matches the log, and the log's own chain reveals tampering with the log.
public struct StaffCheck: Sendable {
    /// The result of a check.
    public struct Findings: Hashable, Sendable {
        /// The discrepancies and the next step, one sentence each.
        public internal(set) var problems: [String] = []
        /// The parts that could not be checked, without a discrepancy.
        public internal(set) var notices: [String] = []
    }

    /// The maximum number of problems of each kind.
    public static let maximumProblems = 100

    /// The maximum number of restarts after concurrent changes to people or roles.
    private static let maximumTries = 16
    /// The maximum number of records named in a sentence.
    private static let maximumNames = 5

    private let store: any RecordStore & AuditLog

    public init(_ store: any RecordStore & AuditLog) { self.store = store }

    /// Reads the whole audit log and the people and roles of all accounts; safe during concurrent changes.
    public func findings() async -> Findings {
        do throws(JournalError) {
            var log = SealedStaff()
            for _ in 0..<StaffCheck.maximumTries {
                let changes = try await StaffDirectory.changes(in: store)
                try await log.read(store)
                let standing = try await StaffStanding(in: store, of: log.accounts)
                // Read last, so that entries pruned in between are accounted for.
                let isWhole = try await store.auditStanding().base.sequence == 0
                guard try await StaffDirectory.changes(in: store) == changes else { continue }
                return StaffCheck.compared(standing, log, isWhole: isWhole)
            }
        } catch {
            return Findings(problems: ["the staff cannot be held against the audit log: \(error)"])
        }
        return Findings(notices: ["The staff was changed all the while and not checked. Repeat it."])
    }

    /// - Parameter isWhole: `true` if the log still has all its entries.
    private static func compared(_ standing: StaffStanding, _ log: SealedStaff, isWhole: Bool) -> Findings {
        var findings = Findings()
        var unsealed = 0
        for account in standing.accounts.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            let seals = standing.accounts[account] ?? StaffSeals()
            var problems = seals.seals.sorted { $0.key.key < $1.key.key }.compactMap { id, seal in
                problem(of: id, seal, in: account, log.records[id], isWhole: isWhole)
            }
            problems += missing(seals, of: account, log)
            let unproved = seals.seals.keys.filter { id in
                switch log.records[id]?.standing {
                case .sealed, .removed: false
                case .unsealed: true
                case nil: !isWhole
                }
            }
            if let whole = log.wholes[account] {
                // Records without a seal of their own are covered by the account's seal.
                if whole != seals.whole, problems.isEmpty { problems.append(unnamed(unproved, in: account)) }
            } else {
                unsealed += unproved.count
            }
            findings.problems += problems.prefix(maximumProblems)
        }
        findings.problems += standing.strays.filter { log.records[$0] == nil }.map(\.key).sorted()
            .prefix(maximumProblems)
            .map { "the record \(SealedStaff.shown($0)) of the staff is listed for no account. " + StaffCheck.next }
        findings.problems += log.problems
        if unsealed > 0 {
            findings.notices.append(
                "\(unsealed) people and roles have no seal in the audit log yet, and were not checked. They have one "
                    + "from the next change of the account's people or roles on.")
        }
        return findings
    }

    /// Describes the discrepancy of a record listed for an account; `nil` if there is none or none can be determined.
    private static func problem(
        of id: RecordID, _ seal: String, in account: AccountID, _ known: SealedStaff.Known?, isWhole: Bool
    ) -> String? {
        guard let known else {
            guard isWhole else { return nil }
            let kind = id.collection == StaffRecord.collection ? "the person" : "the role"
            return "\(kind) \(SealedStaff.shown(id.key)) of \(account) was put in past the counter: the audit log has "
                + "no entry about it. Remove it with \(command(id)) remove, and ask who may write the journal"
        }
        guard known.account == account else {
            return "\(known.whose) of \(known.account) is listed for \(account). " + next
        }
        switch known.standing {
        case .sealed(let kept):
            guard kept != seal else { return nil }
            return "\(known.whose) of \(account) was changed past the counter after entry \(known.entry) of the audit "
                + "log. " + next
        case .removed:
            return "\(known.whose) of \(account) was removed with entry \(known.entry) of the audit log, and is there "
                + "again. " + next
        case .unsealed: return nil
        }
    }

    /// Describes the records removed without an audit entry.
    private static func missing(_ seals: StaffSeals, of account: AccountID, _ log: SealedStaff) -> [String] {
        log.records.filter { id, known in
            known.account == account && known.standing != .removed && seals.seals[id] == nil
        }
        .sorted { $0.value.entry < $1.value.entry }
        .map { _, known in
            "\(known.whose) of \(account) was taken out past the counter after entry \(known.entry) of the audit log. "
                + next
        }
    }

    /// Describes a mismatch of the account's seal that no record's own seal explains.
    private static func unnamed(_ ids: [RecordID], in account: AccountID) -> String {
        let names = ids.map { SealedStaff.shown($0.key) }.sorted()
        let some = names.prefix(maximumNames).joined(separator: ", ") + (names.count > maximumNames ? ", …" : "")
        return "a person or role of \(account) was changed, put in or taken out past the counter after the last entry"
            + (names.isEmpty ? ". " : "; it may be \(some). ") + next
    }

    private static func command(_ id: RecordID) -> String {
        id.collection == StaffRecord.collection ? "till staff" : "till roles"
    }

    private static let next =
        "Hold it against a backup, set it right with till staff and till roles, and ask who may write the journal"
}

/// The current people and roles.
private struct StaffStanding: Sendable {
    /// The seals of the records of each account.
    var accounts: [AccountID: StaffSeals] = [:]
    /// The records listed for no account.
    var strays: Set<RecordID> = []

    /// - Parameter known: accounts in addition to those named by records.
    init(in store: any RecordStore, of known: Set<AccountID>) async throws(JournalError) {
        var names = known
        var all: Set<RecordID> = []
        try await StaffSeals.forEach(of: nil, in: store) { kept in
            all.insert(kept.id)
            let name = JSONValue(ifValid: kept.body)?["account"]?.stringValue
            if let name { names.insert(AccountID(rawValue: name)) }
        }
        for account in names {
            let seals = try await StaffSeals(of: account, in: store)
            accounts[account] = seals
            all.subtract(seals.seals.keys)
        }
        strays = all
    }
}
