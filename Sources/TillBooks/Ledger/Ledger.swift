public import TillCore
public import TillJournal

/// The double-entry ledger: a projection of the journal's events and of the imported statements. It stores no entries
/// of its own, so it cannot contradict them.
///
/// ```swift
/// import TillJournal
///
/// let standing = try await Ledger(journal, account: .main).balances()
/// for balance in standing.balances.all {
///     print(balance.account.name, balance.decimalString, balance.currency.code)
/// }
/// ```
///
/// Entries come in the order of the journal; those of statements come at the time of their import. Reading takes time
/// linear in the number of events and memory for ``maximumFoldedPayments`` payments, however many there are. Events
/// written during a read may or may not be included.
public struct Ledger: Sendable {
    /// The maximum number of payments with a cached state; the events of any other are read again.
    public static let maximumFoldedPayments = 4_096
    /// The maximum number of unreadable payments; with more, reading the ledger fails.
    public static let maximumUnreadable = 1_000

    let journal: any Journal & RecordStore
    /// The account to which the ledger is limited; `nil`: all accounts.
    let account: AccountID?

    public init(_ journal: any Journal & RecordStore, account: AccountID?) {
        self.journal = journal
        self.account = account
    }

    /// A position up to which the ledger was read.
    public struct Position: Hashable, Sendable {
        /// The sequence number of the last event that it counts.
        public var sequence: Int64 = 0
        /// The last record of a statement's entry.
        public var statement: Int64 = 0
        /// Payments with an event that cannot be read: their later events are in no entry. Every product of the ledger
        /// names them, and no checkpoint is stored after one, so that they count once they are repaired.
        public internal(set) var unreadable: Set<PaymentID> = []

        public init() {}
    }

    /// Calls `body` with each entry after a position, in order.
    /// - Parameters:
    ///   - limit: the maximum number of events to read; `nil`: no limit.
    ///   - body: receives one entry at a time; `false` stops the read.
    /// - Returns: the position that was reached, and `isComplete`, which is `true` at the end of the ledger.
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

/// A cache of the states of payments during a read, in two generations: payments that are not used within the lifetime
/// of the younger one are evicted.
struct FoldedPayments {
    private let journal: any Journal
    private var young: [PaymentID: PaymentLedger] = [:]
    private var old: [PaymentID: PaymentLedger] = [:]
    /// Payments with an event that could not be read. Later events of such a payment post nothing, since its state is
    /// unknown.
    private(set) var unreadable: Set<PaymentID> = []

    init(_ journal: any Journal) { self.journal = journal }

    /// Returns a payment's state after the last of its events that was read.
    func payment(_ id: PaymentID) -> Payment? { (young[id] ?? old[id])?.payment }

    /// Returns the entry that an event posts; `nil` if it posts nothing or its payment is unreadable.
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

    /// The decision behind an event that writes off money.
    private static func decision(_ event: PaymentEvent) -> LedgerEntry.Decision? {
        guard case .attentionClosed(_, let said) = event, said.kind == .writtenOff else { return nil }
        return LedgerEntry.Decision(words: said.evidence, actor: said.actor)
    }

    /// Returns the payment's state before the event; `nil` for the event that creates it.
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
