import Synchronization
import Testing
import TillCore
import TillJournal
import TillStatements
import TillTestSupport

@testable import TillBooks

@Suite("Statements against the journal")
struct ReconciliationTests {
    private typealias Samples = LedgerSamples

    let journal = MemoryJournal()
    let clock = ManualClock(LedgerSamples.start.adding(.days(30)))

    private var reconciliation: Reconciliation {
        Reconciliation(journal, clock: clock, account: .main, mode: .live)
    }

    private func line(
        _ id: String, _ kind: StatementLine.Kind = .charge, _ gross: Money, fee: Int64 = 0,
        references: [String] = ["pi_1"], payment: PaymentID? = nil, facing: Money? = nil, day: Int64 = 0,
        payout: String? = nil
    ) throws -> StatementLine {
        let fee = Money(minorUnits: fee, currency: gross.currency)
        return try StatementLine(
            id: id, kind: kind, type: kind.rawValue, references: references, payment: payment, gross: gross, fee: fee,
            net: try gross.subtracting(fee), customerFacing: facing,
            createdAt: Samples.start.adding(.days(day)), payout: payout, raw: id)
    }

    @discardableResult
    private func add(_ lines: [StatementLine], lag: Span = .days(1)) async throws -> Reconciliation.Outcome {
        try await reconciliation.add(
            Reconciliation.Statement(provider: Samples.stripe, providerAccount: "acct_1", lines: lines, lag: lag))
    }

    private func balance(_ kind: LedgerAccount.Kind, _ currency: Currency = .eur) async throws -> Int128 {
        let (balances, _, _) = try await Ledger(journal, account: nil).balances()
        #expect(balances.isZero)
        return balances.sum(of: [kind], in: currency)
    }

    private func open() async throws -> [Incident] { try await Reconciliation.open(journal, Samples.stripe) }

    @Test("a hexadecimal name with a card's digits in it loses no statement, and stays whole") func hexadecimalNames()
        throws
    {
        let name = "sb_9f4111111111111111ab"
        let amount = Money(minorUnits: 100, currency: .eur)
        let line = try line("\(name)/0", .charge, amount, references: [name], payout: name)
        #expect(line.id == "\(name)/0")
        #expect(line.references == [name])
        #expect(line.payout == name)
        #expect(throws: StatementError.self) { try self.line("pi_4111111111111111", .charge, amount) }
        let whole = try self.line("a", .charge, amount, references: ["4111111111111111"])
        #expect(whole.references == ["************1111"])
    }

    @Test("two processes that take events in at once leave no movement out") func twoProcesses() async throws {
        try await Samples.write(Samples.taken() + Samples.back(1, 500), to: journal)
        let events = try await journal.events(after: 0, account: nil, limit: 100).count
        for part in 1..<events {
            let journal = MemoryJournal()
            try await Samples.write(Samples.taken() + Samples.back(1, 500), to: journal)
            let overtaken = OvertakenJournal(base: journal) {
                try? await Settlements(journal: OvertakenJournal(base: journal, end: Int64(part))).catchUp()
            }
            try await Settlements(journal: overtaken).catchUp()
            #expect(try await Records<Settlement>(journal).list().count == 2, "overtaken after event \(part)")
        }
    }

    @Test("a charge and its refund match, the fee is a cost, and the payout leaves nothing owed")
    func matched() async throws {
        try await Samples.write(Samples.taken() + Samples.back(1, 500), to: journal)
        let found = try await add([
            line("txn_1", .charge, Samples.eur(1_250), fee: 43, payout: "po_1"),
            line("txn_2", .refund, Samples.eur(-500), references: ["re_1", "pi_1"], payout: "po_1"),
            line("txn_3", .fee, Samples.eur(-7), references: [], payout: "po_1"),
            line("payout:po_1", .payout, Samples.eur(-700), references: ["po_1"], payout: "po_1"),
        ])
        #expect(found.matched == 2 && found.posted == 2 && found.open == 0 && found.missing == 0)
        #expect(try await balance(.receivable) == 0)
        #expect(try await balance(.fees) == 50)
        #expect(try await balance(.inTransit) == 700)
        #expect(try await balance(.suspense) == 0)
    }

    @Test("the same lines again, and those of an overlapping report, double nothing")
    func again() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        let lines = [
            try line("txn_1", .charge, Samples.eur(1_250), fee: 43),
            try line("txn_9", .charge, Samples.eur(99), references: ["ch_9"]),
        ]
        try await add(lines)
        let before = try await Ledger(journal, account: nil).balances().balances
        let found = try await add(lines + [line("txn_2", .fee, Samples.eur(-5), references: [])])
        #expect(found.known == 2 && found.imported == 1 && found.open == 1)
        let after = try await Ledger(journal, account: nil).balances().balances
        #expect(after.sum(of: [.fees], in: .eur) == before.sum(of: [.fees], in: .eur) + 5)
        #expect(after.sum(of: [.suspense], in: .eur) == -99)
        #expect(try await open().count == 1)
    }

    @Test("a file without its account and the same lines fetched with it are the same lines")
    func withoutAccount() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        let lines = [
            try line("txn_1", .charge, Samples.eur(1_250), fee: 43),
            try line("txn_2", .fee, Samples.eur(-5), references: []),
        ]
        var file = Reconciliation.Statement(provider: Samples.stripe, providerAccount: nil, lines: lines, lag: .days(1))
        #expect(try await reconciliation.accounts(of: Samples.stripe) == ["acct_1"])
        _ = try await reconciliation.add(file)
        file.providerAccount = "acct_1"
        file.lines.append(try line("txn_3", .fee, Samples.eur(-1), references: []))
        let found = try await reconciliation.add(file)
        #expect(found.known == 2 && found.imported == 1)
        #expect(try await balance(.fees) == 49)
    }

    @Test("a statement that was imported to its end is not looked up again; one that was broken off goes on")
    func byHash() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        let lines = [
            try line("txn_1", .charge, Samples.eur(1_250), fee: 43), try line("txn_2", .fee, Samples.eur(-5)),
        ]
        let statement = Reconciliation.Statement(
            provider: Samples.stripe, providerAccount: "acct_1", lines: lines, lag: .days(1))
        var other = statement
        other.lines.swapAt(0, 1)
        #expect(statement.fingerprint != other.fingerprint)
        _ = try await add([lines[0]])
        #expect(try await reconciliation.add(statement).imported == 1)
        let imported = try await Records<StatementImport>(journal).count()
        let again = try await reconciliation.add(statement)
        #expect(again.imported == 0 && again.known == 2)
        #expect(try await Records<StatementImport>(journal).count() == imported)
        #expect(try await balance(.fees) == 48)
    }

    @Test(
        "a crash after any write of an import leaves a journal from which the import ends as without it",
        arguments: [1, 2, 100])
    func crashes(linesAtOnce: Int) async throws {
        let lines = [
            try line("txn_1", .charge, Samples.eur(1_240), fee: 43), try line("txn_2", .fee, Samples.eur(-5)),
            try line("txn_3", .charge, Samples.eur(7), references: ["ch_7"]),
        ]
        func imported(dyingAfter writes: Int?) async throws -> (LedgerBalances, Int, writes: Int) {
            let mortal = MortalJournal(writes: writes)
            try await Samples.write(Samples.taken(), to: mortal.base)
            let statement = Reconciliation.Statement(
                provider: Samples.stripe, providerAccount: "acct_1", lines: lines, lag: .days(1))
            func run(_ journal: any Journal & RecordStore) async throws -> Reconciliation.Outcome {
                var reconciliation = Reconciliation(journal, clock: clock, account: .main, mode: .live)
                reconciliation.linesAtOnce = linesAtOnce
                return try await reconciliation.add(statement)
            }
            if writes != nil { await #expect(throws: JournalError.self) { try await run(mortal) } }
            let outcome = try await run(writes == nil ? mortal : mortal.base)
            let balances = try await Ledger(mortal.base, account: nil).balances().balances
            return (balances, outcome.open, mortal.written)
        }
        let whole = try await imported(dyingAfter: nil)
        #expect(whole.writes >= 4 && whole.1 == 2)
        for writes in 0..<whole.writes {
            let (balances, open, _) = try await imported(dyingAfter: writes)
            #expect(balances == whole.0 && open == whole.1, "after \(writes) writes")
        }
    }

    @Test("a charge that no payment made is in suspense and an incident, until the journal has heard of it")
    func unknown() async throws {
        let foreign = try line("txn_1", .charge, Samples.eur(1_250), references: ["ch_1", "pi_1"])
        #expect(try await add([foreign]).unknown == 1)
        #expect(try await balance(.suspense) == -1_250)
        #expect(try await balance(.receivable) == 1_250)
        let incident = try #require(try await open().first)
        #expect(incident.description.contains("no payment of this journal accounts for it"))
        try await Samples.write(Samples.taken(), to: journal)
        #expect(try await add([]).open == 0)
        #expect(try await balance(.suspense) == 0)
        #expect(try await balance(.receivable) == 1_250)
        #expect(try await add([]).open == 0)
        #expect(try await balance(.receivable) == 1_250)
    }

    @Test("another amount is in suspense by the difference, and names both")
    func differs() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        let found = try await add([line("txn_1", .charge, Samples.eur(1_240))])
        #expect(found.differs == 1 && found.open == 1)
        #expect(try await balance(.receivable) == 1_240)
        #expect(try await balance(.suspense) == 10)
        let said = try #require(try await open().first).description
        #expect(said.contains("12.40 EUR") && said.contains("12.50 EUR") && said.contains("pay_1"))
    }

    @Test("a movement that statements go on behind is missing; one that they do not reach is expected later")
    func missing() async throws {
        try await Samples.write(Samples.taken(1), 1, to: journal)
        try await Samples.write(Samples.taken(2), 2, at: Samples.start.adding(.days(1)), to: journal)
        try await Samples.write(Samples.taken(3), 3, at: Samples.start.adding(.days(4)), to: journal)
        let other = try line("txn_9", .fee, Samples.eur(-1), references: [], day: 0)
        let last = try line("txn_3", .charge, Samples.eur(1_250), references: ["pi_1"], day: 4)
        let found = try await add([other, last])
        #expect(found.missing == 1 && found.expected == 1 && found.matched == 1 && found.open == 1)
        #expect(try #require(try await open().first).payment == Samples.id(2))
        // It was only in another report.
        let late = try await add([line("txn_2", .charge, Samples.eur(1_250), references: ["pi_2"], day: 1)])
        #expect(late.missing == 0 && late.open == 0)
    }

    @Test("settlement in another currency books both sums; the rest is exchange, never a difference")
    func exchange() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        let yen = Money(minorUnits: 2_031, currency: .jpy)
        let found = try await add([line("txn_1", .charge, yen, fee: 31, facing: Samples.eur(1_250))])
        #expect(found.matched == 1 && found.open == 0)
        #expect(try await balance(.receivable) == 0)
        #expect(try await balance(.receivable, .jpy) == 2_000)
        #expect(try await balance(.exchange) == 1_250)
        #expect(try await balance(.exchange, .jpy) == -2_031)
        #expect(try await balance(.fees, .jpy) == 31)
        #expect(try await balance(.suspense) == 0)
    }

    @Test("a payout that is not the sum of its rows names the remainder, and a row of an unknown type is in suspense")
    func remainder() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        let found = try await add([
            line("txn_1", .charge, Samples.eur(1_250), payout: "po_1"),
            line("txn_2", .other, Samples.eur(-20), references: ["x_1"], payout: "po_1"),
            line("payout:po_1", .payout, Samples.eur(-1_200), references: ["po_1"], payout: "po_1"),
        ])
        #expect(found.remainders == 1 && found.unknown == 1 && found.open == 2)
        let said = try await open().map(\.description)
        #expect(said.contains { $0.contains("0.30 EUR are not explained") })
        #expect(said.contains { $0.contains("its type “other” is not known") })
        #expect(try await balance(.suspense) == 20)
        // The row that was missing explains it.
        let whole = try await add([line("txn_3", .fee, Samples.eur(-30), references: [], payout: "po_1")])
        #expect(whole.remainders == 0 && whole.open == 1)
    }

    @Test("two charges for one payment: one matches, the other is named with its payment")
    func twice() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        let found = try await add([
            line("txn_1", .charge, Samples.eur(1_250)),
            line("txn_2", .charge, Samples.eur(1_250), references: ["ch_2"], payment: Samples.id(1)),
        ])
        #expect(found.matched == 1 && found.unknown == 1)
        #expect(try #require(try await open().first).payment == Samples.id(1))
    }

    @Test("one line shows several movements that add up to it, where none alone does")
    func together() async throws {
        let other = CaptureID(rawValue: "pay_1-c2")
        let reported = OperationOrigin.provider(ProviderReference(rawValue: "pi_1"))
        try await Samples.write(
            [
                Samples.started(), .authorized(Samples.attempt(), Samples.authorization()),
                .captureStarted(Samples.capture(), Samples.attempt(), Samples.eur(500), isFinal: false),
                .captured(Samples.capture(), ProviderReference(rawValue: "pi_1")),
                .captureReported(other, Samples.attempt(), Samples.eur(750), reported),
            ], to: journal)
        let found = try await add([line("txn_1", .charge, Samples.eur(1_250), fee: 43)])
        #expect(found.matched == 1 && found.expected == 0 && found.open == 0)
        #expect(try await balance(.receivable) == 1_207)
        #expect(try await balance(.suspense) == 0)
    }

    @Test("a refund that was reported and is on its way is no movement until it is made")
    func onItsWay() async throws {
        let refund = RefundID(rawValue: "pay_1-r9")
        let origin = OperationOrigin.provider(ProviderReference(rawValue: "re_9"))
        try await Samples.write(
            Samples.taken() + [
                .refundReported(refund, Samples.attempt(), Samples.eur(300), origin),
                .outcomeUnknown(.refund(refund), nextCheck: Samples.start, reason: .pending),
            ], to: journal)
        #expect(try await balance(.receivable) == 1_250)
        let found = try await add([line("txn_1", .charge, Samples.eur(1_250))])
        #expect(found.matched == 1 && found.expected == 0)
    }

    @Test("a provider that says another amount for a line than before is an incident, and changes nothing")
    func changed() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        try await add([line("txn_1", .charge, Samples.eur(1_250))])
        #expect(try await add([line("txn_1", .charge, Samples.eur(1_200))]).open == 1)
        #expect(try await balance(.receivable) == 1_250)
    }

    @Test("a dispute's money and a refund that failed match their lines")
    func afterSale() async throws {
        try await Samples.write(
            Samples.taken() + Samples.back(1, 500) + [.refundReversed(Samples.refund(), Samples.decline)]
                + [
                    .disputeOpened(Samples.attempt(), Samples.facts()),
                    .disputeFundsWithdrawn(Samples.dispute, Samples.eur(1_250)),
                    .disputeFundsReinstated(Samples.dispute, Samples.eur(1_250)),
                ], to: journal)
        let found = try await add([
            line("t1", .charge, Samples.eur(1_250)),
            line("t2", .refund, Samples.eur(-500), references: ["re_1"]),
            line("t3", .refundFailure, Samples.eur(500), references: ["re_1"]),
            line("t4", .dispute, Samples.eur(-1_250), references: ["dp_1"]),
            line("t5", .disputeReversal, Samples.eur(1_250), references: ["dp_1"]),
        ])
        #expect(found.matched == 5 && found.open == 0)
        #expect(try await balance(.receivable) == 1_250)
        #expect(try await balance(.suspense) == 0)
    }

    @Test("what statements post stands in the export, after what it is about")
    func exported() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        try await add([line("=txn_1", .charge, Samples.eur(1_250), fee: 43)])
        var text = ""
        try await LedgerExport(.hledger).write(Ledger(journal, account: .main)) { text += $0 }
        #expect(text.contains("order ") && text.contains("| statement.charge\n"))
        #expect(text.contains("    Expenses:Fees:Stripe:Acct-1  0.43 EUR\n"))
        #expect(text.hasSuffix("    Expenses:Fees:Stripe:Acct-1  0 EUR = 0.43 EUR\n"))
    }

    @Test("net is gross less fee, to the last digit of every currency, or the line is refused")
    func exact() throws {
        for currency in [Currency.jpy, .kwd, .eur] {
            func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: currency) }
            func line(net: Int64) throws -> StatementLine {
                try StatementLine(
                    id: "x", kind: .charge, type: "", references: [], payment: nil, gross: money(1_001), fee: money(2),
                    net: money(net), customerFacing: nil, createdAt: Samples.start, payout: nil, raw: "")
            }
            #expect(try line(net: 999).net == money(999))
            #expect(throws: StatementError.self) { try line(net: 1_000) }
        }
    }
}

/// A journal on which another process is faster once, and one of which the end is not seen.
private final class OvertakenJournal: JournalInFront, RecordStore {
    let base: MemoryJournal
    private let end: Int64
    private let other: Mutex<(@Sendable () async -> Void)?>

    init(base: MemoryJournal, end: Int64 = .max, _ other: (@Sendable () async -> Void)? = nil) {
        self.base = base
        self.end = end
        self.other = Mutex(other)
    }

    func events(
        after sequence: Int64, account: AccountID?, limit: Int
    ) async throws(JournalError) -> [StoredEvent] {
        try await base.events(after: sequence, account: account, limit: limit).filter { $0.sequence <= end }
    }

    func write(_ write: JournalWrite) async throws(JournalError) {
        if let other = other.withLock({ other in
            defer { other = nil }
            return other
        }) {
            await other()
        }
        try await base.write(write)
    }
}
