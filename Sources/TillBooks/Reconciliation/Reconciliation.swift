public import TillCore
public import TillJournal
import TillStatements

/// Reconciles statements of providers with the journal, line by line.
///
/// ```swift
/// import TillJournal
/// import TillProvider
/// import TillStatements
/// import TillStripe
///
/// let books = Reconciliation(journal, clock: SystemClock(), account: .main, mode: .live)
/// let file = StatementFile("payouts.csv", bytes)
/// let statement = try file.read(StatementForm.all(of: [StripeModule.self]))
/// let accounts = try await books.accounts(of: statement.provider)
/// let outcome = try await books.add(file.owned(statement, by: accounts))
/// print("\(outcome.imported) new lines, \(outcome.matched) matched, \(outcome.open) to review")
/// ```
///
/// Each line is imported once, in one commit with its postings, the movement it matches and the incident it raises; a
/// bounded number of lines shares a commit. Importing the same or an overlapping file again, a crash or a cancellation
/// therefore duplicates nothing, and any number of processes may import at once. Unmatched lines are retried once the
/// journal has recorded further movements.
public struct Reconciliation: Sendable {
    /// The maximum number of unmatched lines that one import retries, oldest first; the next import continues after
    /// them.
    static let maximumTriedAgain = 10_000

    let journal: any Journal & RecordStore
    let clock: any TillClock
    /// The account of a line that no payment accounts for.
    let account: AccountID
    let mode: PaymentMode
    /// The maximum number of lines in one commit.
    var linesAtOnce = LineBatch.maximumLines

    public init(_ journal: any Journal & RecordStore, clock: any TillClock, account: AccountID, mode: PaymentMode) {
        (self.journal, self.clock, self.account, self.mode) = (journal, clock, account, mode)
    }

    /// Called after each commit with the number of imported lines and the total.
    public typealias Progress = @Sendable (_ done: Int, _ of: Int) -> Void

    var settlements: Settlements { Settlements(journal: journal) }

    /// Returns the provider's identifiers, sorted, of the accounts in which the journal has payments: the candidates
    /// for a file that does not name its account.
    public func accounts(of provider: ProviderName) async throws(JournalError) -> [String] {
        try await settlements.catchUp()
        return try await settlements.accounts(of: provider)
    }

    /// Imports a statement and reconciles it with the journal.
    ///
    /// A canceled task stops between two commits: ``Outcome/isStopped`` is then `true`, and importing the same
    /// statement again resumes.
    /// - Throws: `JournalError` if the journal refuses a write. Earlier commits remain, and importing the same
    ///   statement again resumes.
    public func add(_ statement: Statement, progress: Progress? = nil) async throws(JournalError) -> Outcome {
        try await settlements.catchUp()
        let known = try await settlements.edition()
        var outcome = Outcome()
        let whole = StatementImport(statement, at: clock.now())
        let newest = try await newestUnknown(of: statement.provider)
        if try await journal.record(whole.record.id) != nil {
            outcome.known = statement.lines.count
        } else {
            var rest = statement.lines[...]
            while !rest.isEmpty, !Task.isCancelled {
                let taken = try await add(rest, of: statement, &outcome)
                rest = rest.dropFirst(taken)
                progress?(statement.lines.count - rest.count, statement.lines.count)
            }
            guard rest.isEmpty else { return try await stopped(outcome, statement) }
            try await journal.change(
                [
                    .insertIfAbsent(whole.record),
                    .keepNewest(StatementImport.maximumKept, of: StatementImport.collection, matching: nil),
                ],
                noting: [
                    AuditNote(
                        .statementImported, account: account, subject: statement.provider.rawValue,
                        changes: [
                            AuditChange("lines", to: "\(statement.lines.count)"),
                            AuditChange("imported", to: "\(outcome.imported)"),
                        ])
                ])
        }
        try await UnmatchedLines(reconciliation: self).tryAgain(statement, upTo: newest, knowing: known)
        try await MissingMovements(journal: journal, clock: clock).find(in: statement, &outcome)
        let payouts = Set(statement.lines.compactMap(\.payout))
        for payout in payouts.sorted() {
            guard !Task.isCancelled else { return try await stopped(outcome, statement) }
            try await PayoutSum(journal: journal, clock: clock).check(payout, of: statement.provider, &outcome)
        }
        outcome.open = try await Reconciliation.openCount(journal, statement.provider)
        outcome.isStopped = Task.isCancelled
        return outcome
    }

    private func stopped(_ outcome: Outcome, _ statement: Statement) async throws(JournalError) -> Outcome {
        var outcome = outcome
        outcome.isStopped = true
        outcome.open = try await Reconciliation.openCount(journal, statement.provider)
        return outcome
    }

    /// Returns the open incidents of one provider or of all, oldest first, at most one page.
    public static func open(
        _ records: any RecordStore, _ provider: ProviderName? = nil
    ) async throws(JournalError) -> [Incident] {
        try await Records<Incident>(records).list(matching: match(provider))
    }

    /// Returns the number of open incidents of one provider or of all.
    public static func openCount(
        _ records: any RecordStore, _ provider: ProviderName? = nil
    ) async throws(JournalError) -> Int {
        try await records.count(Incident.collection, matching: match(provider))
    }

    private static func match(_ provider: ProviderName?) -> RecordMatch {
        provider.map { Incident.openOfStatements(of: $0) } ?? Incident.openOnes(of: .statement)
    }

    func postings(_ kept: KeptLine, _ settlement: Settlement?, _ statement: Statement) -> [LedgerPosting] {
        LinePostings.of(kept.line, settlement) { statement.account($0, isTest: mode == .test) }
    }

    // MARK: Lines

    /// Imports the next lines in one commit; retries after a conflict with another process.
    /// - Returns: the number of lines.
    private func add(
        _ lines: ArraySlice<StatementLine>, of statement: Statement, _ outcome: inout Outcome
    ) async throws(JournalError) -> Int {
        for tries in 1... {
            var batch = LineBatch(self, of: statement)
            var taken = 0
            for line in lines.prefix(linesAtOnce) where !batch.isFull {
                try await batch.add(line)
                taken += 1
            }
            let changes = batch.changes
            do throws(JournalError) {
                if !changes.isEmpty { try await journal.change(changes) }
                outcome.add(batch.outcome)
                return taken
            } catch {
                guard case .recordConflict = error, tries < Records<KeptLine>.maximumConflicts else { throw error }
            }
        }
        return 0
    }

    /// Returns the position of the newest unmatched line; `nil` if there is none.
    private func newestUnknown(of provider: ProviderName) async throws(JournalError) -> Int64? {
        try await journal.records(
            RecordQuery(
                KeptLine.collection, matching: KeptLine.matching(.unknown, provider), .newestFirst(), limit: 1)
        ).first?.position
    }
}
