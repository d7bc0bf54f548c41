public import TillCore
public import TillJournal
import TillProvider

/// Statements of providers against the journal, line by line.
///
/// Each line is imported once, in one commit with what it posts, with the movement that it shows and with the incident
/// that it leads to: so the same file again, an overlapping one and a crash in the middle double nothing, and any
/// number of processes may import at once. What did not match is tried again each time, because the journal may have
/// heard of it since.
public struct Reconciliation: Sendable {
    /// Lines without a match that are tried again at once, the oldest first.
    static let maximumTriedAgain = 10_000

    let journal: any Journal & RecordStore
    let clock: any TillClock
    /// Whose line it is where no payment says it.
    let account: AccountID
    let mode: PaymentMode

    public init(_ journal: any Journal & RecordStore, clock: any TillClock, account: AccountID, mode: PaymentMode) {
        (self.journal, self.clock, self.account, self.mode) = (journal, clock, account, mode)
    }

    private var settlements: Settlements { Settlements(journal: journal) }
    private var matcher: LineMatcher { LineMatcher(journal: journal, settlements: settlements, clock: clock) }

    /// The provider's own names for the accounts in which payments of the journal were made, sorted: whose a file can be
    /// that does not say it.
    public func accounts(of provider: ProviderName) async throws(JournalError) -> [String] {
        try await settlements.catchUp()
        return try await settlements.accounts(of: provider)
    }

    /// Imports a statement and holds the journal against it.
    public func add(_ statement: Statement) async throws(JournalError) -> Outcome {
        try await settlements.catchUp()
        var outcome = Outcome()
        let whole = StatementImport(statement, at: clock.now())
        if try await journal.record(whole.record.id) != nil {
            outcome.known = statement.lines.count
        } else {
            for line in statement.lines { try await add(line, of: statement, &outcome) }
            try await journal.change([
                .insertIfAbsent(whole.record),
                .keepNewest(StatementImport.maximumKept, of: StatementImport.collection, matching: nil),
            ])
        }
        try await tryAgain(statement)
        try await MissingMovements(journal: journal, clock: clock).find(in: statement, &outcome)
        let payouts = Set(statement.lines.compactMap(\.payout))
        for payout in payouts.sorted() {
            try await PayoutSum(journal: journal, clock: clock).check(payout, of: statement.provider, &outcome)
        }
        outcome.open = try await Reconciliation.openCount(journal, statement.provider)
        return outcome
    }

    /// What is open of one provider or of all: the oldest, at most as many as a page has.
    public static func open(
        _ records: any RecordStore, _ provider: ProviderName? = nil
    ) async throws(JournalError) -> [Incident] {
        try await Records<Incident>(records).list(matching: match(provider))
    }

    /// How much is open of one provider or of all.
    public static func openCount(
        _ records: any RecordStore, _ provider: ProviderName? = nil
    ) async throws(JournalError) -> Int {
        try await records.count(Incident.collection, matching: match(provider))
    }

    private static func match(_ provider: ProviderName?) -> RecordMatch {
        provider.map { Incident.openOfStatements(of: $0) } ?? Incident.openOnes(of: .statement)
    }

    private func postings(_ kept: KeptLine, _ settlement: Settlement?, _ statement: Statement) -> [LedgerPosting] {
        LinePostings.of(kept.line, settlement) { statement.account($0, isTest: mode == .test) }
    }

    // MARK: Lines

    private func add(
        _ line: StatementLine, of statement: Statement, _ outcome: inout Outcome
    ) async throws(JournalError) {
        for tries in 1... {
            do throws(JournalError) {
                let id = RecordID(KeptLine.collection, KeptLine.key(line.id, statement.provider))
                if let stored = try await journal.record(id) {
                    try await addAgain(line, stored)
                    outcome.known += 1
                    return
                }
                var kept = KeptLine(
                    line, provider: statement.provider, account: statement.providerAccount, state: .unknown)
                let found = try await matcher.match(&kept)
                let entry = entry(&kept, postings(kept, found.settlement, statement), found.settlement)
                try await journal.change(entry + found.changes + [.insert(kept.record)])
                outcome.count(kept.state)
                return
            } catch {
                guard case .recordConflict = error, tries < Records<KeptLine>.maximumConflicts else { throw error }
            }
        }
    }

    /// A line that was imported before: it may now say its payout, and must not say another amount.
    private func addAgain(_ line: StatementLine, _ stored: KeptRecord) async throws(JournalError) {
        let kept = try KeptLine(stored)
        if kept.line.net != line.net || kept.line.gross != line.gross {
            return try await journal.change([
                .insertIfAbsent(StatementBreak.changed(line, was: kept, at: clock.now()).record)
            ])
        }
        guard kept.line.payout == nil, line.payout != nil else { return }
        try await journal.change([.update(kept.paidOut(as: line).record, from: stored.version)])
    }

    private func entry(
        _ kept: inout KeptLine, _ postings: [LedgerPosting], _ settlement: Settlement?
    ) -> [RecordChange] {
        guard !postings.isEmpty else { return [] }
        kept.entries += 1
        let entry = LedgerEntry(
            source: .statement(position: 0, line: kept.id), at: clock.now(),
            account: settlement?.account ?? account, payment: settlement?.payment,
            orderNumber: settlement?.orderNumber, what: "statement.\(kept.line.kind.rawValue)", postings: postings)
        return [.insertIfAbsent(StatementEntry(line: kept.id, number: kept.entries, entry).record)]
    }

    /// Lines that nothing accounted for: the journal may have heard of it since.
    private func tryAgain(_ statement: Statement) async throws(JournalError) {
        var after: Int64?
        var tried = 0
        while tried < Reconciliation.maximumTriedAgain {
            let page = try await journal.records(
                RecordQuery(
                    KeptLine.collection, matching: KeptLine.matching(.unknown, statement.provider),
                    .oldestFirst(after: after)))
            guard let last = page.last else { return }
            after = last.position
            tried += page.count
            for stored in page { try await tryAgain(stored, of: statement) }
        }
    }

    private func tryAgain(_ stored: KeptRecord, of statement: Statement) async throws(JournalError) {
        var kept = try KeptLine(stored)
        guard kept.line.kind != .other else { return }
        var owner = statement
        owner.providerAccount = kept.account
        let before = postings(kept, nil, owner)
        let found = try await matcher.match(&kept)
        guard let settlement = found.settlement else { return }
        let change = LinePostings.change(from: before, to: postings(kept, settlement, owner))
        var changes = entry(&kept, change, settlement) + found.changes
        changes += try await StatementBreak.resolve(StatementBreak.ofLine(kept), of: kept.provider, in: journal)
        changes.append(.update(kept.record, from: stored.version))
        do throws(JournalError) { try await journal.change(changes) } catch {
            // Somebody else is at it; it is tried again the next time.
            guard case .recordConflict = error else { throw error }
        }
    }
}
