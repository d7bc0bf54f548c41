public import TillCore
public import TillJournal

/// The write-off of money that a statement left in suspense, and the recovery of money written off.
///
/// The balances follow from the entries of the statement line alone, so nothing is written off twice, and a recovery is
/// exactly the amount written off. The entry is written in the commit that resolves the incident.
public struct WriteOff: Sendable {
    /// The maximum number of entries read for one line, far more than staff ever decides about it.
    static let maximumEntries = 1_000

    private let journal: any Journal & RecordStore
    private let clock: any TillClock

    public init(_ journal: any Journal & RecordStore, clock: any TillClock) {
        (self.journal, self.clock) = (journal, clock)
    }

    /// Checks that the balance that a resolution writes off or recovers is not zero.
    /// - Throws: `IncidentRefusal` if it is.
    public func check(_ said: IncidentResolution, of incident: Incident) async throws {
        switch said.outcome {
        case .writtenOff:
            guard try await change(of: incident, from: .suspense) != nil else {
                throw IncidentRefusal.nothingInSuspense(incident.id)
            }
        case .recovered:
            guard try await change(of: incident, from: .writeOffs) != nil else {
                throw IncidentRefusal.nothingWrittenOff(incident.id)
            }
        case .paid, .notPaid, nil: return
        }
    }

    /// Returns the changes that a resolution posts, for the commit that writes it.
    /// - Parameter incident: the resolved incident.
    public func changes(resolving incident: Incident) async throws(JournalError) -> [RecordChange] {
        let from: LedgerAccount.Kind
        switch incident.outcome {
        case .writtenOff: from = .suspense
        case .recovered: from = .writeOffs
        case .paid, .notPaid, nil: return []
        }
        guard let (kept, version, first, postings) = try await change(of: incident, from: from) else { return [] }
        var line = kept
        line.entries += 1
        let entry = LedgerEntry(
            source: .statement(position: 0, line: line.id), at: clock.now(), account: first.account,
            payment: first.payment, orderNumber: first.orderNumber,
            what: from == .suspense ? "statement.written_off" : "statement.recovered",
            decision: LedgerEntry.Decision(words: incident.resolution ?? "", actor: incident.resolvedBy),
            postings: postings)
        return [
            .update(line.record, from: version),
            .insertIfAbsent(StatementEntry(line: line.id, number: line.entries, entry).record),
        ]
    }

    private typealias Change = (kept: KeptLine, version: Int, first: LedgerEntry, postings: [LedgerPosting])

    /// `nil` if the incident is not about a line, or the line's balance there is zero.
    private func change(
        of incident: Incident, from kind: LedgerAccount.Kind
    ) async throws(JournalError) -> Change? {
        guard incident.kind == .statement, let key = StatementBreak.line(of: incident),
            let stored = try await journal.record(RecordID(KeptLine.collection, key))
        else { return nil }
        let kept = try KeptLine(stored)
        let entries = try await WriteOff.entries(of: kept, in: journal)
        let postings = WriteOff.moving(entries, from: kind)
        guard let first = entries.first, !postings.isEmpty else { return nil }
        return (kept, stored.version, first, postings)
    }

    /// Returns the entries of a line so far, oldest first.
    static func entries(
        of kept: KeptLine, in records: any RecordStore
    ) async throws(JournalError) -> [LedgerEntry] {
        guard kept.entries > 0 else { return [] }
        guard kept.entries <= maximumEntries else {
            throw .corrupted("a line of a statement has more than \(maximumEntries) entries")
        }
        var entries: [LedgerEntry] = []
        for number in 1...kept.entries {
            let id = RecordID(StatementEntry.collection, StatementEntry.id(of: kept.id, number))
            guard let stored = try await records.record(id) else {
                throw .corrupted("an entry of a statement's line is missing")
            }
            entries.append(try StatementEntry(stored).entry)
        }
        return entries
    }

    /// Returns the postings that move the whole balance from suspense to write-offs, or back.
    static func moving(_ entries: [LedgerEntry], from kind: LedgerAccount.Kind) -> [LedgerPosting] {
        let other: LedgerAccount.Kind = kind == .suspense ? .writeOffs : .suspense
        let standing = LinePostings.change(from: [], to: entries.flatMap(\.postings)).filter { $0.account.kind == kind }
        return LinePostings.change(
            from: standing,
            to: standing.map { posting in
                let account = LedgerAccount(
                    other, provider: posting.account.provider, providerAccount: posting.account.providerAccount,
                    isTest: posting.account.isTest)
                return LedgerPosting(account, posting.amount)
            })
    }
}
