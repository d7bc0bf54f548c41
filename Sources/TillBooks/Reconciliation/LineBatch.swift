import TillCore
import TillJournal
import TillProvider

/// Lines of a statement that are written in one commit, with what they post, the movements that they show and the
/// incidents that they lead to: all of it or nothing is imported.
struct LineBatch {
    /// Lines of one batch. A customer's sale waits for one batch at most, some milliseconds.
    static let maximumLines = 100
    /// Changes after which a batch is written although it has fewer lines: with those of one more line, which shows at
    /// most ``LineMatcher/maximumTogether`` movements and closes as many incidents, it stays within a write.
    static let maximumChanges = RecordLimits.maximumChanges - 2 * LineMatcher.maximumTogether - 8

    private let reconciliation: Reconciliation
    private let statement: Reconciliation.Statement
    private let matcher: LineMatcher
    private var movements: MovementCache
    /// By their keys; `nil` as the version of one that is new.
    private var lines: [String: (line: KeptLine, version: Int?)] = [:]
    private var order: [String] = []
    private var others: [RecordChange] = []
    private var named: Set<RecordID> = []
    /// What comes of it, once it is written.
    private(set) var outcome = Reconciliation.Outcome()

    init(_ reconciliation: Reconciliation, of statement: Reconciliation.Statement) {
        (self.reconciliation, self.statement) = (reconciliation, statement)
        matcher = LineMatcher(
            journal: reconciliation.journal, settlements: reconciliation.settlements, clock: reconciliation.clock)
        movements = MovementCache(reconciliation.journal)
    }

    var isFull: Bool { lines.count + others.count + movements.count >= LineBatch.maximumChanges }

    /// All of it, for one write.
    var changes: [RecordChange] {
        let written = order.compactMap { key -> RecordChange? in
            guard let (line, version) = lines[key] else { return nil }
            return version.map { .update(line.record, from: $0) } ?? .insert(line.record)
        }
        return others + movements.changes + written
    }

    /// Takes in a line of a statement.
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

    /// A line that was imported before: it may now say its payout, and must not say another amount.
    private mutating func addAgain(_ line: StatementLine, _ kept: KeptLine, _ version: Int?) {
        outcome.known += 1
        if kept.line.net != line.net || kept.line.gross != line.gross {
            let changed = StatementBreak.changed(line, was: kept, at: reconciliation.clock.now())
            return stage([.insertIfAbsent(changed.record)])
        }
        guard kept.line.payout == nil, line.payout != nil else { return }
        keep(kept.paidOut(as: line), version)
    }

    /// Tries a line again that nothing accounted for. Nothing is staged if nothing does now.
    mutating func tryAgain(_ stored: KeptRecord) async throws(JournalError) {
        var kept = try KeptLine(stored)
        guard kept.line.kind != .other, kept.state == .unknown else { return }
        var owner = statement
        owner.providerAccount = kept.account
        let before = reconciliation.postings(kept, nil, owner)
        // What a person has given up is found with it.
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

    /// One change of each record: what a batch says of an incident twice, it says once.
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
