import Foundation
import Testing
import TillCore

/// Days of seeds against the ledger. `TILL_DAY_WORLDS` says how many.
@Suite("The day against the ledger")
struct DayAgainstLedgerTests {
    private static let usual: UInt64 = 60
    private static let worlds = max(
        1, ProcessInfo.processInfo.environment["TILL_DAY_WORLDS"].flatMap { UInt64($0) } ?? usual)
    /// All events that post something, as docs/LEDGER.md has them.
    private static let posting: Set<String> = [
        "attempt.authorized", "attempt.bound", "capture.failed", "capture.reported", "capture.restored",
        "capture.succeeded", "dispute.closed", "dispute.funds_reinstated", "dispute.funds_withdrawn",
        "dispute.updated", "payment.attention_closed", "payment.attention_required", "refund.failed",
        "refund.reported", "refund.succeeded",
    ]

    /// All kinds of rows that these worlds have in the tables.
    private static let rows: Set<String> = [
        "network named", "network noCard", "network notKnown", "tax named", "tax net", "tax tips", "tax notKnown",
        "staff named", "shop named", "shop notKnown", "hour named",
    ]

    @Test("Each report says what the ledger's postings between its first and its last event say")
    func reports() async throws {
        var (met, tables): (Set<String>, Set<String>) = ([], [])
        var drawers: Set<DrawerName> = []
        for seed in 1...DayAgainstLedgerTests.worlds {
            let life = LedgerDays(seed: seed)
            try await life.live()
            try await life.judge()
            #expect(life.problems.isEmpty, "seed \(seed): \(life.problems.joined(separator: ", "))")
            met.formUnion(life.met)
            tables.formUnion(life.tables)
            drawers.formUnion(life.drawers)
        }
        guard DayAgainstLedgerTests.worlds >= DayAgainstLedgerTests.usual else { return }
        #expect(met == DayAgainstLedgerTests.posting)
        #expect(tables.isSuperset(of: DayAgainstLedgerTests.rows))
        #expect(drawers == Set(LedgerDays.drawers))
    }
}
