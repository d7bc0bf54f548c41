import Testing
import TillCore
import TillJournal
import TillStatements
import TillTestSupport

@testable import TillBooks

@Suite("Payouts of a span of time")
struct PayoutStandingsTests {
    private typealias Samples = LedgerSamples

    let journal = MemoryJournal()
    let clock = ManualClock(LedgerSamples.start.adding(.days(30)))

    private func line(
        _ id: String, _ kind: StatementLine.Kind, _ units: Int64, fee: Int64 = 0, references: [String] = [],
        day: Int64, payout: String
    ) throws -> StatementLine {
        try StatementLine(
            id: id, kind: kind, type: kind.rawValue, references: references, payment: nil, gross: Samples.eur(units),
            fee: Samples.eur(fee), net: Samples.eur(units - fee), customerFacing: nil,
            createdAt: Samples.start.adding(.days(day)), payout: payout, raw: id)
    }

    private func standings(
        _ days: Range<Int64> = 0..<30, atMost most: Int = 10, lines: Int = 1_000
    ) async throws -> PayoutStandings {
        try await Reconciliation.payouts(
            journal, from: Samples.start.adding(.days(days.lowerBound)),
            until: Samples.start.adding(.days(days.upperBound)), atMost: most, lines: lines)
    }

    @Test("Each payout is what its rows say, newest first, and what a limit leaves out is said")
    func states() async throws {
        try await Samples.write(Samples.taken(), to: journal)
        let lines = [
            try line("txn_1", .charge, 1_250, fee: 43, references: ["pi_1"], day: 1, payout: "po_1"),
            try line("payout:po_1", .payout, -1_207, references: ["po_1"], day: 2, payout: "po_1"),
            try line("txn_2", .other, -20, references: ["x_1"], day: 2, payout: "po_2"),
            try line("payout:po_2", .payout, -100, references: ["po_2"], day: 3, payout: "po_2"),
            try line("payout:po_3", .payout, -500, references: ["po_3"], day: 4, payout: "po_3"),
            try line("payout:po_4", .payout, -300, references: ["po_4"], day: 5, payout: "po_4"),
            try line("failure:po_4", .payoutFailure, 300, references: ["po_4"], day: 6, payout: "po_4"),
        ]
        _ = try await Reconciliation(journal, clock: clock, account: .main, mode: .live).add(
            Reconciliation.Statement(
                provider: Samples.stripe, providerAccount: "acct_1", lines: lines, lag: .days(1)))
        let all = try await standings(lines: lines.count)
        #expect(all.isComplete && all.payouts.map(\.id) == ["po_4", "po_3", "po_2", "po_1"])
        #expect(all.payouts.map(\.state) == [.returned, .withoutRows, .open, .matched])
        #expect(all.payouts.map(\.amount) == [300, 500, 100, 1_207].map { Samples.eur($0) })
        #expect(all.payouts.map(\.fees) == [0, 0, 0, 43] && all.payouts.map(\.remainder) == [0, 0, -120, 0])
        #expect(all.payouts.map(\.rows) == [0, 0, 1, 1] && all.payouts.map(\.openRows) == [0, 0, 1, 0])
        let some = try await standings(3..<5)
        #expect(some.isComplete && some.payouts.map(\.id) == ["po_3", "po_2"])
        let newest = try await standings(atMost: 2)
        #expect(!newest.isComplete && newest.payouts.map(\.id) == ["po_4", "po_3"])
        #expect(try await standings(lines: lines.count - 1).isComplete == false)
    }
}
