import Testing
import TillCore
import TillSandbox
import TillTestSupport

@Suite("Every order of steps of what happens after the sale and what a process does")
struct AfterSaleScheduleTests {
    /// Where a payment stands, what happens to it at the provider, and what a process does meanwhile.
    struct Pair: Sendable, CustomTestStringConvertible {
        var start: GatedWorld.Start
        var news: GatedWorld.Action
        var other: GatedWorld.Action
        var testDescription: String { "\(news.rawValue) and \(other.rawValue), \(start.rawValue)" }
    }

    private static let starts: [(start: GatedWorld.Start, news: [GatedWorld.Action])] = [
        (.held, [.dashboardCapture]),
        (.captured, [.dashboardRefund, .lateRefundFailure, .dispute]),
        (.partlyRefunded, [.dashboardRefund, .lateRefundFailure, .dispute]),
    ]

    static var pairs: [Pair] {
        starts.flatMap { start, all in
            all.flatMap { news in
                GatedWorld.Action.allCases.filter { action in
                    action.isAfterSale ? all.contains(action) && action != news : action != .renew
                }.map { Pair(start: start, news: news, other: $0) }
            }
        }
    }

    @Test(
        "late refund failures, disputes and a dashboard's captures and refunds, with every operation: journal = ledger",
        arguments: pairs)
    func all(_ pair: Pair) async {
        let search = ScheduleSearch(actions: [pair.news, pair.other], start: pair.start)
        let outcome = await Aside.run { search.run { Self.problem(in: $0) } }
        #expect(outcome.breach == nil)
        print("after the sale: \(pair.testDescription): \(outcome.count) orders\(outcome.isCut ? ", cut" : "")")
        guard outcome.isCut else { return }
        // Some pairs have more orders than a search looks at: as many again at random.
        let seed = UInt64(pair.testDescription.utf8.reduce(7) { ($0 &* 31 &+ UInt64($1)) & 0xFFFF_FFFF })
        let sampled = await Aside.run {
            search.sample(ScheduleSearch.limit, seed: seed) { Self.problem(in: $0) }
        }
        #expect(sampled.breach == nil)
    }

    /// Beside the sums, which every search compares: disputes too are the same on both sides.
    private static func problem(in end: GatedWorld.End) -> String? {
        let there = end.charges.flatMap { $0.disputes ?? [] }
        let here = end.payment.disputes
        if there.map(\.reference) != here.map(\.facts.reference.rawValue) { return "a dispute is missing" }
        if there.map(\.withdrawn) != here.map(\.withdrawn.minorUnits) { return "a dispute's money is not known" }
        return end.payment.broken == nil ? nil : "broken"
    }
}
