import Testing
import TillCore
import TillJournal
import TillStatements
import TillTestSupport

@testable import TillBooks

@Suite("Money that is given up")
struct WriteOffTests {
    private typealias Samples = LedgerSamples

    let journal = MemoryJournal()
    let clock = ManualClock(LedgerSamples.start.adding(.days(30)))

    private var reconciliation: Reconciliation {
        Reconciliation(journal, clock: clock, account: .main, mode: .live)
    }

    private func line(_ id: String, _ units: Int64, references: [String], fee: Int64 = 0) throws -> StatementLine {
        try StatementLine(
            id: id, kind: .charge, type: "charge", references: references, payment: nil, gross: Samples.eur(units),
            fee: Samples.eur(fee), net: Samples.eur(units - fee), customerFacing: nil, createdAt: Samples.start,
            payout: nil, raw: id)
    }

    @discardableResult
    private func add(_ lines: [StatementLine]) async throws -> Reconciliation.Outcome {
        try await reconciliation.add(
            Reconciliation.Statement(
                provider: Samples.stripe, providerAccount: "acct_1", lines: lines, lag: .days(1)))
    }

    /// As the command and the counter do.
    private func resolve(
        _ incident: Incident, _ outcome: Incident.Outcome?, _ words: String = "asked Stripe", actor: String? = "Ada"
    ) async throws {
        let said = IncidentResolution(note: words, actor: actor, outcome: outcome, at: clock.now())
        try incident.check(said)
        let writeOff = WriteOff(journal, clock: clock)
        try await writeOff.check(said, of: incident)
        let journal = self.journal
        _ = try await IncidentLog(journal).resolve(incident.id, said) { (changes, incident) throws(JournalError) in
            let posted = try await writeOff.changes(resolving: incident)
            try await journal.change(changes + posted)
        }
    }

    private func open() async throws -> [Incident] { try await Reconciliation.open(journal, Samples.stripe) }

    /// What stands in suspense and in the write-offs. After each entry all accounts sum to zero.
    private func standing() async throws -> [Int128] {
        var balances = LedgerBalances()
        try await Ledger(journal, account: nil).read { entry in
            #expect(entry.isBalanced && entry.postings.count > 1)
            for posting in entry.postings { balances.add(posting) }
            return balances.isZero
        }
        #expect(balances.isZero)
        return [balances.sum(of: [.suspense], in: .eur), balances.sum(of: [.writeOffs], in: .eur)]
    }

    private func decisions() async throws -> [LedgerEntry] {
        var entries: [LedgerEntry] = []
        try await Ledger(journal, account: nil).read { entry in
            if entry.decision != nil { entries.append(entry) }
            return true
        }
        return entries
    }

    @Test("what a statement put into suspense goes to the write-offs with the words of who says so, and back")
    func thereAndBack() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        try await add([
            line("txn_1", 1_240, references: ["pi_1"], fee: 7), line("txn_2", 777, references: ["ch_9"]),
        ])
        let (differs, unknown) = (try await open()[0], try await open()[1])
        #expect(try await standing() == [10 - 777, 0])
        try await resolve(unknown, .writtenOff)
        #expect(try await standing() == [10, -777])
        try await resolve(differs, .writtenOff, "ten cents", actor: nil)
        #expect(try await standing() == [0, 10 - 777])
        #expect(try await open().isEmpty)
        let said = try await decisions()
        #expect(said.map(\.what) == ["statement.written_off", "statement.written_off"])
        #expect(
            said.map(\.decision) == [
                LedgerEntry.Decision(words: "asked Stripe", actor: "Ada"),
                LedgerEntry.Decision(words: "ten cents", actor: nil),
            ])
        #expect(said[1].payment == Samples.id() && said[0].payment == nil)
        let name = said[0].postings.map(\.account.name).sorted()
        #expect(name == ["Assets:Suspense:Stripe:Acct-1", "Expenses:WriteOffs:Stripe:Acct-1"])
        try await resolve(unknown, .recovered, "it came by letter")
        #expect(try await standing() == [-777, 10])
        // And again: what is given up is always all that stands there.
        try await resolve(unknown, .writtenOff)
        #expect(try await standing() == [0, 10 - 777])
    }

    @Test("nothing is given up twice, and nothing is found that was not given up")
    func once() async throws {
        try await add([line("txn_2", 777, references: ["ch_9"])])
        let incident = try #require(try await open().first)
        await #expect(throws: IncidentRefusal.nothingWrittenOff(incident.id)) {
            try await resolve(incident, .recovered)
        }
        try await resolve(incident, .writtenOff)
        await #expect(throws: IncidentRefusal.nothingInSuspense(incident.id)) {
            try await resolve(incident, .writtenOff)
        }
        // Whoever only adds words finds nothing again.
        try await resolve(incident, nil, "a letter is on its way")
        #expect(try await standing() == [0, -777])
        #expect(try await Records<Incident>(journal).document(incident.id)?.outcome == .writtenOff)
        try await resolve(incident, .recovered)
        await #expect(throws: IncidentRefusal.nothingWrittenOff(incident.id)) {
            try await resolve(incident, .recovered)
        }
        #expect(try await standing() == [-777, 0])
    }

    @Test("of what is in no suspense nothing is given up, and nothing is written")
    func nothing() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        try await add([try line("a", 0, references: []), try line("b", 0, references: [])])
        let webhook = Incident(
            webhook: "evt_1", of: Samples.stripe, about: PaymentID(rawValue: "pay_9"), body: [], at: clock.now())
        let missing = Incident(
            statementOf: Samples.stripe, name: "movement pay_1/4", about: Samples.id(), what: "w", document: "",
            at: clock.now())
        for incident in [webhook, missing] {
            await #expect(throws: IncidentRefusal.nothingInSuspense(incident.id)) {
                try await resolve(incident, .writtenOff)
            }
        }
        #expect(try await decisions().isEmpty)
    }

    @Test("a line that was given up and matches later is in neither: it is found with its payment")
    func matchedLater() async throws {
        try await add([line("txn_1", 1_250, references: ["pi_1"])])
        try await resolve(try #require(try await open().first), .writtenOff)
        #expect(try await standing() == [0, -1_250])
        try await Samples.write(Samples.taken(), to: journal)
        #expect(try await add([]).open == 0)
        #expect(try await standing() == [0, 0])
        let (balances, _, _) = try await Ledger(journal, account: nil).balances()
        #expect(balances.sum(of: [.receivable], in: .eur) == 1_250)
    }

    @Test("what the shop owes a customer and nobody asks for is given up, and no return is taken back for it")
    func refundDue() throws {
        let failed: [PaymentEvent] = [
            .refundReversed(Samples.refund(), Samples.decline),
            .attentionRequired(.refund(Samples.refund()), .refundReversed(Samples.eur(1_250))),
        ]
        let closed = PaymentEvent.attentionClosed(
            1, AttentionResolution(kind: .writtenOff, evidence: "slip", actor: "Ada"))
        let again = RefundID(rawValue: "pay_1-r2")
        let steps = try Samples.posted(
            Samples.taken() + Samples.back() + failed + [
                closed, .refundStarted(again, Samples.attempt(), Samples.eur(1_250), reason: nil),
                .refunded(again, nil),
            ]
        ).steps
        func moved(_ step: Int) -> [String: Int64] {
            Dictionary(uniqueKeysWithValues: steps[step].postings.map { ($0.account.name, $0.amount.minorUnits) })
        }
        #expect(
            moved(8) == ["Expenses:WriteOffs:Stripe:Acct-1": -1_250, "Liabilities:RefundsDue": 1_250])
        // The customer came after all.
        #expect(
            moved(10) == ["Expenses:WriteOffs:Stripe:Acct-1": 1_250, "Assets:Receivable:Stripe:Acct-1": -1_250])
    }

    @Test("exports say who has given it up and why, without what would end a line or be a formula")
    func exports() async throws {
        try await add([line("txn_2", 777, references: ["ch_9"])])
        let words = "lost; |\n\"gone\" = " + String(repeating: "x", count: 500)
        try await resolve(try #require(try await open().first), .writtenOff, words, actor: "Ada \\ Grace")
        for format in LedgerExport.Format.allCases {
            var text = ""
            try await LedgerExport(format).write(Ledger(journal, account: nil)) { text += $0 }
            let line = try #require(text.split(separator: "\n").first { $0.contains("statement.written_off: lost") })
            #expect(line.contains(String(repeating: "x", count: 500)) && line.contains("Grace)"), "\(format)")
        }
    }
}
