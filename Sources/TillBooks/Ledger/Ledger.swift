public import TillCore
public import TillJournal

/// The double-entry ledger: a projection of the journal's events and of the statements that were imported. It keeps
/// nothing of its own, so it cannot say anything else than they do.
///
/// Entries come in the order of the journal; those of statements stand where they were imported. Reading takes time
/// with the number of events and memory for ``maximumFoldedPayments`` payments, however many there are. What is written
/// while it is read may or may not be among it.
public struct Ledger: Sendable {
    /// Payments whose state is kept at once; of another one the events are read again.
    public static let maximumFoldedPayments = 4_096
    /// Payments that cannot be read, up to which a ledger is made of the others.
    public static let maximumUnreadable = 1_000

    let journal: any Journal & RecordStore
    /// Only of this account; `nil`: of all.
    let account: AccountID?

    public init(_ journal: any Journal & RecordStore, account: AccountID?) {
        self.journal = journal
        self.account = account
    }

    /// Up to where the ledger was read.
    public struct Position: Hashable, Sendable {
        /// The sequence number of the last event that it counts.
        public var sequence: Int64 = 0
        /// The last record of a statement's entry.
        public var statement: Int64 = 0
        /// Payments of which an event cannot be read: what stands behind it is in no entry. They are named beside
        /// whatever is made of the ledger, and no checkpoint is kept behind one, so that it counts once it is mended.
        public internal(set) var unreadable: Set<PaymentID> = []

        public init() {}
    }

    /// Hands out every entry behind a position.
    /// - Parameters:
    ///   - limit: events that are read at most; `nil`: all that there are.
    ///   - body: is called with one entry after the other; `false` ends it.
    /// - Returns: up to where it was read, and whether that is all.
    @discardableResult
    public func read(
        after start: Position = Position(), limit: Int? = nil,
        _ body: (LedgerEntry) async throws -> Bool
    ) async throws -> (position: Position, isComplete: Bool) {
        var position = start
        var folded = FoldedPayments(journal)
        var statements = StatementEntries(journal, account: account, after: start.statement)
        var left = limit ?? .max
        while left > 0 {
            let page = try await journal.readings(
                after: position.sequence, account: account, limit: min(left, JournalLimits.maximumPage))
            guard !page.isEmpty else {
                while let entry = try await statements.next(before: nil) {
                    position.statement = statements.position
                    guard try await body(entry) else { return (position, false) }
                }
                return (position, true)
            }
            left -= page.count
            for event in page {
                while let entry = try await statements.next(before: event.at) {
                    position.statement = statements.position
                    guard try await body(entry) else { return (position, false) }
                }
                position.sequence = event.sequence
                let entry = try await folded.entry(of: event)
                position.unreadable = folded.unreadable
                guard folded.unreadable.count <= Ledger.maximumUnreadable else {
                    throw JournalError.corrupted(
                        "the events of more than \(Ledger.maximumUnreadable) payments cannot be read")
                }
                guard let entry else { continue }
                guard try await body(entry) else { return (position, false) }
            }
        }
        return (position, false)
    }
}

/// The payments whose events are being read, in two generations: what was not needed for as long as the younger one
/// lasts is discarded.
struct FoldedPayments {
    private let journal: any Journal
    private var young: [PaymentID: PaymentLedger] = [:]
    private var old: [PaymentID: PaymentLedger] = [:]
    /// Payments of which an event could not be read. What stands behind it posts nothing: it cannot be known what.
    private(set) var unreadable: Set<PaymentID> = []

    init(_ journal: any Journal) { self.journal = journal }

    /// A payment as it is after the last of its events that was read.
    func payment(_ id: PaymentID) -> Payment? { (young[id] ?? old[id])?.payment }

    /// What an event posts; `nil`: nothing, or nobody can say.
    mutating func entry(of reading: EventReading) async throws(JournalError) -> LedgerEntry? {
        guard case .event(let event) = reading, !unreadable.contains(event.payment) else {
            unreadable.insert(reading.payment)
            return nil
        }
        do throws(JournalError) { return try await entry(of: event) } catch {
            guard case .corrupted = error else { throw error }
            unreadable.insert(event.payment)
            return nil
        }
    }

    private mutating func entry(of event: StoredEvent) async throws(JournalError) -> LedgerEntry? {
        guard var ledger = try await ledger(before: event) else { return nil }
        let postings = ledger.apply(event.record)
        keep(ledger, of: event.payment)
        guard !postings.isEmpty else { return nil }
        return LedgerEntry(
            source: .event(sequence: event.sequence), at: event.record.at, account: event.account,
            payment: event.payment, orderNumber: ledger.payment.order.number, what: event.record.event.name,
            decision: FoldedPayments.decision(event.record.event), postings: postings)
    }

    /// Whose word gives up money.
    private static func decision(_ event: PaymentEvent) -> LedgerEntry.Decision? {
        guard case .attentionClosed(_, let said) = event, said.kind == .writtenOff else { return nil }
        return LedgerEntry.Decision(words: said.evidence, actor: said.actor)
    }

    /// The payment as it was before the event; `nil` for the event that begins it.
    private mutating func ledger(before event: StoredEvent) async throws(JournalError) -> PaymentLedger? {
        if case .created(let creation) = event.record.event {
            keep(PaymentLedger(creation, at: event.record.at), of: event.payment)
            return nil
        }
        if let known = young[event.payment] ?? old[event.payment] { return known }
        let events = try await journal.events(of: event.payment)
        guard let first = events.first, case .created(let creation) = first.record.event else { return nil }
        var ledger = PaymentLedger(creation, at: first.record.at)
        for earlier in events.dropFirst() where earlier.version < event.version { _ = ledger.apply(earlier.record) }
        return ledger
    }

    private mutating func keep(_ ledger: PaymentLedger, of payment: PaymentID) {
        if young.count >= Ledger.maximumFoldedPayments / 2 {
            old = young
            young = [:]
        }
        young[payment] = ledger
    }
}
