import TillCore
import TillJournal
import TillStatements

/// Statement lines that are written in one commit, together with their postings, the movements they match and the
/// incidents they raise: the import is atomic.
struct LineBatch {
    /// The maximum number of lines in a batch. A concurrent sale waits for one batch at most, a few milliseconds.
    static let maximumLines = 100
    /// The number of changes at which a batch is written although it has fewer lines. One more line matches at most
    /// ``LineMatcher/maximumTogether`` movements and resolves as many incidents, so the batch stays within the limit of
    /// a write.
    static let maximumChanges = RecordLimits.maximumChanges - 2 * LineMatcher.maximumTogether - 8

    private let reconciliation: Reconciliation
    private let statement: Reconciliation.Statement
    private let matcher: LineMatcher
    private var movements: MovementCache
    /// The lines by key; the version is `nil` for a new line.
    private var lines: [String: (line: KeptLine, version: Int?)] = [:]
    private var order: [String] = []
    private var others: [RecordChange] = []
    private var named: Set<RecordID> = []
    /// The outcome, valid once the batch is written.
    private(set) var outcome = Reconciliation.Outcome()

    init(_ reconciliation: Reconciliation, of statement: Reconciliation.Statement) {
        (self.reconciliation, self.statement) = (reconciliation, statement)
        matcher = LineMatcher(
            journal: reconciliation.journal, settlements: reconciliation.settlements, clock: reconciliation.clock)
        movements = MovementCache(reconciliation.journal)
    }

    var isFull: Bool { lines.count + others.count + movements.count >= LineBatch.maximumChanges }

    /// All changes of the batch, for one write.
    var changes: [RecordChange] {
        let written = order.compactMap { key -> RecordChange? in
            guard let (line, version) = lines[key] else { return nil }
            return version.map { .update(line.record, from: $0) } ?? .insert(line.record)
        }
        return others + movements.changes + written
    }

    /// Adds a line of a statement.
    mutating func add(_ line: StatementLine) async throws(JournalError) {
        let key = KeptLine.key(line.id, statement.provider)
        if let (kept, version) = lines[key] { return addAgain(line, kept, version) }
        if let stored = try await reconciliation.journal.record(RecordID(KeptLine.collection, key)) {
            return addAgain(line, try KeptLine(stored), stored.version)
        }
        var kept = KeptLine(line, provider: statement.provider, account: statement.providerAccount, state: .unknown)
        let found = try await matcher.match(&kept, in: &movements)
        post(&kept, reconciliation.postings(kept, found.settlement, statement), found.settlement)
        stage(found.changes)
        keep(kept, nil)
        outcome.count(kept.state)
    }

    /// Adds a line that was imported before: it may now name its payout, but must not change its amount.
    private mutating func addAgain(_ line: StatementLine, _ kept: KeptLine, _ version: Int?) {
        outcome.known += 1
        if kept.line.net != line.net || kept.line.gross != line.gross {
            let changed = StatementBreak.changed(line, was: kept, at: reconciliation.clock.now())
            return stage([.insertIfAbsent(changed.record)])
        }
        guard kept.line.payout == nil, line.payout != nil else { return }
        keep(kept.paidOut(as: line), version)
    }

    /// Retries a line that had no match. Stages nothing if there is still none.
    mutating func tryAgain(_ stored: KeptRecord) async throws(JournalError) {
        var kept = try KeptLine(stored)
        guard kept.line.kind != .other, kept.state == .unknown else { return }
        var owner = statement
        owner.providerAccount = kept.account
        let before = reconciliation.postings(kept, nil, owner)
        // A written-off amount is recovered with it.
        let entries = try await WriteOff.entries(of: kept, in: reconciliation.journal)
        let recovered = WriteOff.moving(entries, from: .writeOffs)
        let found = try await matcher.match(&kept, in: &movements)
        guard let settlement = found.settlement else { return }
        let change = LinePostings.change(
            from: before, to: reconciliation.postings(kept, settlement, owner) + recovered)
        post(&kept, change, settlement)
        stage(found.changes)
        stage(
            try await StatementBreak.resolve(
                StatementBreak.ofLine(kept), of: kept.provider, in: reconciliation.journal))
        keep(kept, stored.version)
    }

    private mutating func keep(_ kept: KeptLine, _ version: Int?) {
        if lines.updateValue((kept, version), forKey: kept.id) == nil { order.append(kept.id) }
    }

    /// Stages one change per record: an incident that a batch raises twice is written once.
    private mutating func stage(_ changes: [RecordChange]) {
        for change in changes {
            guard let id = change.id, named.insert(id).inserted else { continue }
            others.append(change)
        }
    }

    private mutating func post(_ kept: inout KeptLine, _ postings: [LedgerPosting], _ settlement: Settlement?) {
        guard !postings.isEmpty else { return }
        kept.entries += 1
        let entry = LedgerEntry(
            source: .statement(position: 0, line: kept.id), at: reconciliation.clock.now(),
            account: settlement?.account ?? reconciliation.account, payment: settlement?.payment,
            orderNumber: settlement?.orderNumber, what: "statement.\(kept.line.kind.rawValue)", postings: postings)
        stage([.insertIfAbsent(StatementEntry(line: kept.id, number: kept.entries, entry).record)])
    }
}
