import Synchronization
import Testing
import TillCore
import TillJournal
import TillStatements
import TillTestSupport

@testable import TillBooks

@Suite("Statements of many lines")
struct LongImportTests {
    private typealias Samples = LedgerSamples

    let clock = ManualClock(LedgerSamples.start.adding(.days(30)))

    private func reconciliation(_ journal: any Journal & RecordStore, atOnce: Int = 100) -> Reconciliation {
        var reconciliation = Reconciliation(journal, clock: clock, account: .main, mode: .live)
        reconciliation.linesAtOnce = atOnce
        return reconciliation
    }

    private func line(
        _ id: String, _ units: Int64 = 100, references: [String] = [], payout: String? = nil
    ) throws -> StatementLine {
        try StatementLine(
            id: id, kind: .charge, type: "charge", references: references, payment: nil, gross: Samples.eur(units),
            fee: .zero(.eur), net: Samples.eur(units), customerFacing: nil, createdAt: Samples.start, payout: payout,
            raw: id)
    }

    private func statement(_ lines: [StatementLine]) -> Reconciliation.Statement {
        Reconciliation.Statement(provider: Samples.stripe, providerAccount: "acct_1", lines: lines, lag: .days(1))
    }

    private func suspense(_ journal: any Journal & RecordStore) async throws -> Int128 {
        try await Ledger(journal, account: nil).balances().balances.sum(of: [.suspense], in: .eur)
    }

    @Test("a hundred lines share a commit")
    func commits() async throws {
        let journal = MortalJournal(writes: nil)
        let found = try await reconciliation(journal).add(statement(try (0..<250).map { try line("txn_\($0)") }))
        #expect(found.unknown == 250 && found.open == 250)
        #expect(journal.written < 10, "\(journal.written) commits for 250 lines")
        #expect(try await suspense(journal.base) == -25_000)
    }

    @Test("lines of one commit show a movement once, and a line that stands in it twice is one", arguments: [1, 100])
    func together(atOnce: Int) async throws {
        let journal = MemoryJournal()
        try await Samples.write(Samples.taken(), to: journal)
        let charge = try line("txn_1", 1_250, references: ["pi_1"])
        let again = try line("txn_2", 1_250, references: ["pi_1"])
        let paid = try line("txn_1", 1_250, references: ["pi_1"], payout: "po_1")
        let found = try await reconciliation(journal, atOnce: atOnce).add(statement([charge, again, paid]))
        #expect(found.matched == 1 && found.unknown == 1 && found.known == 1 && found.open == 1)
        #expect(try await suspense(journal) == -1_250)
        let kept = try #require(try await Records<KeptLine>(journal).document("stripe txn_1"))
        #expect(kept.line.payout == "po_1" && kept.state == .matched)
    }

    @Test("an import that is asked to stop ends between two commits, and goes on without doubling", arguments: [3, 7])
    func stopped(atOnce: Int) async throws {
        let journal = MemoryJournal()
        let all = statement(try (0..<20).map { try line("txn_\($0)") })
        let reconciliation = reconciliation(journal, atOnce: atOnce)
        let commits = Mutex(0)
        let task = Task {
            try await reconciliation.add(all) { _, _ in
                let count = commits.withLock { count in
                    count += 1
                    return count
                }
                if count == 2 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        let first = try await task.value
        #expect(first.isStopped && first.imported == 2 * atOnce && first.open == 2 * atOnce)
        #expect(try await Records<StatementImport>(journal).count() == 0)
        let second = try await reconciliation.add(all)
        #expect(!second.isStopped && second.known == 2 * atOnce && second.imported == 20 - 2 * atOnce)
        #expect(try await suspense(journal) == -2_000 && second.open == 20)
    }

    @Test("what did not match is tried again when the journal has heard of more, and only then")
    func retry() async throws {
        let journal = MortalJournal(writes: nil)
        let reconciliation = reconciliation(journal, atOnce: 2)
        _ = try await reconciliation.add(statement([line("txn_1", 1_250, references: ["pi_1"]), line("txn_2")]))
        _ = try await reconciliation.add(statement([line("txn_3")]))
        let read = journal.unmatchedPages
        _ = try await reconciliation.add(statement([line("txn_4")]))
        #expect(journal.unmatchedPages == read, "nothing was heard of, and all were tried again")
        try await Samples.write(Samples.taken(), to: journal.base)
        let found = try await reconciliation.add(statement([line("txn_5")]))
        #expect(found.open == 4 && journal.unmatchedPages > read)
        #expect(try await suspense(journal.base) == -400)
    }

    @Test("two who import the same at once import each line once")
    func atOnce() async throws {
        let journal = MemoryJournal()
        let all = statement(try (0..<60).map { try line("txn_\($0)") })
        let reconciliation = reconciliation(journal, atOnce: 7)
        async let one = reconciliation.add(all)
        async let other = reconciliation.add(all)
        let (first, second) = try await (one, other)
        #expect(first.imported + second.imported == 60 || first.imported + first.known == 60)
        #expect(try await suspense(journal) == -6_000)
        #expect(try await Records<StatementEntry>(journal).count() == 60)
    }

    @Test("more lines than are taken, and one that is too long, import nothing and say what to do")
    func limits() throws {
        struct Form: StatementFormat {
            var name: String { "form" }
            var lag: Span { .days(1) }
            func recognizes(_ bytes: [UInt8]) -> Bool { true }
            func lines(of bytes: [UInt8]) throws(StatementError) -> [StatementLine] {
                try (0..<4).map { number throws(StatementError) in
                    try StatementLine(
                        id: "\(number)", kind: .fee, type: "fee", references: [], payment: nil, gross: .zero(.eur),
                        fee: .zero(.eur), net: .zero(.eur), customerFacing: nil,
                        createdAt: Timestamp(milliseconds: 0), payout: nil,
                        raw: String(repeating: "x", count: bytes.count))
                }
            }
        }
        let forms = [StatementForm(Samples.stripe, Form())]
        #expect(try StatementFile("f", [0]).read(forms, maximumLines: 4).lines.count == 4)
        let many = #expect(throws: StatementRefusal.self) { try StatementFile("f", [0]).read(forms, maximumLines: 3) }
        #expect(many?.code == "statement_too_large" && many?.what.contains("more than 3 lines") == true)
        #expect(many?.next.contains("by day") == true && many?.what.contains("or posted") == true)
        let long = StatementFile("f", Array(repeating: 0, count: StatementLimits.maximumLineBytes + 1))
        #expect(throws: StatementRefusal.self) { try long.read(forms) }
    }
}
