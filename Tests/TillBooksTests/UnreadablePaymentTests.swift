import Synchronization
import Testing
import TillCheckout
import TillCore
import TillJournal
import TillStatements
import TillTestSupport

@testable import TillBooks

/// A journal of which some events cannot be read.
private final class DamagedJournal: JournalInFront, RecordStore {
    let base = MemoryJournal()
    private let damaged = Mutex<Set<Int64>>([])

    /// By their places in the journal.
    func damage(_ sequences: Set<Int64>) { damaged.withLock { $0 = sequences } }

    func write(_ write: JournalWrite) async throws(JournalError) { try await base.write(write) }

    func readings(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [EventReading] {
        let damaged = damaged.withLock { $0 }
        return try await base.events(after: sequence, account: account, limit: limit).map { event in
            guard damaged.contains(event.sequence) else { return .event(event) }
            return .unreadable(
                UnreadableEvent(
                    sequence: event.sequence, payment: event.payment, account: event.account, version: event.version,
                    at: event.record.at, reason: "its body is damaged"))
        }
    }

    func events(of payment: PaymentID) async throws(JournalError) -> [StoredEvent] {
        let damaged = damaged.withLock { $0 }
        let events = try await base.events(of: payment)
        if events.contains(where: { damaged.contains($0.sequence) }) { throw .corrupted("its body is damaged") }
        return events
    }

    func payment(_ id: PaymentID) async throws(JournalError) -> Payment? {
        _ = try await events(of: id)
        return try await base.payment(id)
    }
}

@Suite("A payment that cannot be read hides no other in the books")
struct UnreadablePaymentTests {
    private typealias Samples = LedgerSamples

    private let journal = DamagedJournal()
    private let clock = ManualClock(LedgerSamples.start.adding(.days(30)))

    /// Three payments of 12.50, the second of which cannot be read from its capture on.
    private func sell() async throws {
        for number in 1...3 { try await Samples.write(Samples.taken(number), number, to: journal) }
        let damaged = try await journal.base.events(of: Samples.id(2)).last
        journal.damage([try #require(damaged).sequence])
    }

    private func balances(limit: Int? = nil) async throws -> (receivable: Int128, position: Ledger.Position) {
        let (balances, position, _) = try await Ledger(journal, account: nil).balances(limit: limit)
        #expect(balances.isZero)
        return (balances.sum(of: [.receivable], in: .eur), position)
    }

    @Test("the ledger is made of the others and names it, and it counts once it can be read again")
    func ledger() async throws {
        try await sell()
        let (sum, position) = try await balances()
        #expect(sum == 2_500 && position.unreadable == [Samples.id(2)])
        var text = ""
        let written = try await LedgerExport(.csv).write(Ledger(journal, account: nil)) { text += $0 }
        #expect(written.unreadable == [Samples.id(2)] && text.contains("pay_3"))
        let problems = await LedgerCheck(journal).problems(against: try journal.base.verify())
        #expect(problems.contains { $0.contains("pay_2") })
        // A place that is kept is none behind it.
        _ = try await balances(limit: 12)
        journal.damage([])
        let whole = try await balances()
        #expect(whole.receivable == 3_750 && whole.position.unreadable.isEmpty)
    }

    @Test("a statement matches the others, and it once it can be read again")
    func statement() async throws {
        try await sell()
        let lines = try (1...3).map { number in
            try StatementLine(
                id: "txn_\(number)", kind: .charge, type: "charge", references: ["pi_\(number)"],
                payment: Samples.id(number), gross: Samples.eur(1_250), fee: .zero(.eur), net: Samples.eur(1_250),
                customerFacing: nil, createdAt: Samples.start, payout: nil, raw: "\(number)")
        }
        let reconciliation = Reconciliation(journal, clock: clock, account: .main, mode: .live)
        func statement(_ lines: [StatementLine]) -> Reconciliation.Statement {
            Reconciliation.Statement(
                provider: Samples.stripe, providerAccount: "acct_1", lines: lines, lag: .days(1))
        }
        let first = try await reconciliation.add(statement(lines))
        #expect(first.matched == 2 && first.unknown == 1 && first.open == 1)
        journal.damage([])
        let again = try await reconciliation.add(statement(lines))
        #expect(again.known == 3 && again.open == 0)
        #expect(try await balances().receivable == 3_750)
    }

    @Test("the queue of attention lists the others and makes it an incident")
    func attention() async throws {
        for number in 1...2 {
            try await Samples.write(
                Samples.taken(number) + [.attentionRequired(.attempt(Samples.attempt(number)), .voidedAfterCapture)],
                number,
                to: journal)
        }
        let queue = AttentionQueue(journal, clock: clock)
        #expect(try await queue.open(account: nil).map(\.payment.id) == [Samples.id(1), Samples.id(2)])
        let damaged = try #require(try await journal.base.events(of: Samples.id(1)).last)
        journal.damage([damaged.sequence])
        for _ in 0..<2 { #expect(try await queue.open(account: nil).map(\.payment.id) == [Samples.id(2)]) }
        let incidents = try await Records<Incident>(journal).list()
        #expect(incidents.map(\.payment) == [Samples.id(1)] && incidents.map(\.kind) == [.unreadablePayment])
        journal.damage([])
        #expect(try await queue.open(account: nil).count == 2)
    }

    @Test("a list has all of them, and asking for the one says what to do")
    func list() async throws {
        try await sell()
        let checkout = Checkout(journal: journal, providers: [], clock: clock)
        let listed = try await checkout.list(PaymentFilter())
        #expect(listed.map(\.id) == [3, 2, 1].map(Samples.id))
        #expect(listed.map(\.isUnreadable) == [false, true, false])
        #expect(try await Records<Incident>(journal).list().map(\.payment) == [Samples.id(2)])
        do {
            _ = try await checkout.payment(Samples.id(2), account: .main)
            Issue.record("it was read")
        } catch {
            #expect(error.code == "payment_unreadable" && error.moneyMoved == .no)
            #expect(error.next.contains("journal verify"))
        }
    }
}
