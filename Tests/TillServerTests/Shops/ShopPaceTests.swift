import Testing
import TillCore
@testable import TillFeatureShops

/// A large shop is told without delay, and a small one is not flooded.
@Suite("Orders of a shop at the same time") struct ShopPaceTests {
    private func work(_ pace: ShopPace, windows: Int = 1, _ duration: Span, isFull: Bool = true) {
        for _ in 0..<windows {
            if isFull { pace.noteFull() }
            for _ in 0..<2 * pace.limit { pace.note(duration) }
        }
    }

    @Test("They become more while the shop answers as fast, up to the limit")
    func grows() {
        let pace = ShopPace()
        #expect(pace.limit == ShopSyncLimits.ordersAtOnce)
        work(pace, .milliseconds(100))
        #expect(pace.limit == 2 * ShopSyncLimits.ordersAtOnce)
        work(pace, windows: 12, .milliseconds(120))
        #expect(pace.limit == ShopSyncLimits.mostOrdersAtOnce)
    }

    @Test("A few orders now and then are no reason for more")
    func idle() {
        let pace = ShopPace()
        work(pace, windows: 20, .milliseconds(100), isFull: false)
        #expect(pace.limit == ShopSyncLimits.ordersAtOnce)
    }

    @Test("They become fewer when the shop becomes slow, and never none")
    func slows() {
        let pace = ShopPace()
        work(pace, windows: 4, .milliseconds(100))
        let before = pace.limit
        work(pace, .milliseconds(900))
        #expect(pace.limit == before / 2)
        for factor: Int64 in [2, 3, 4, 5, 6] { work(pace, windows: 2, .milliseconds(900 * factor * factor)) }
        #expect(pace.limit == ShopSyncLimits.ordersAtOnce)
    }

    @Test("A shop that fails begins again with few, and a clock that is set back counts as no time")
    func resets() {
        let pace = ShopPace()
        work(pace, windows: 4, .milliseconds(100))
        pace.reset()
        #expect(pace.limit == ShopSyncLimits.ordersAtOnce)
        work(pace, .milliseconds(-3_600_000))
        #expect(pace.limit == 2 * ShopSyncLimits.ordersAtOnce)
    }
}
