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

    @Test("They become more while the shop answers more calls a second by it, up to the limit")
    func grows() {
        let pace = ShopPace()
        #expect(pace.limit == ShopSyncLimits.ordersAtOnce)
        work(pace, .milliseconds(100))
        #expect(pace.limit == 2 * ShopSyncLimits.ordersAtOnce)
        work(pace, windows: 12, .milliseconds(120))
        #expect(pace.limit == ShopSyncLimits.mostOrdersAtOnce)
    }

    @Test(
        "A shop with few processes, which only gets slower by more of them, keeps few",
        arguments: [1, 2, 4, 8] as [Int64])
    func saturated(processes: Int64) {
        let pace = ShopPace()
        var most = 0
        for _ in 0..<300 {
            let duration = Span.milliseconds(max(250, 250 * Int64(pace.limit) / processes))
            pace.noteFull()
            for _ in 0..<2 * pace.limit { pace.note(duration) }
            most = max(most, pace.limit)
        }
        #expect(most <= 2 * ShopSyncLimits.ordersAtOnce)
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
        work(pace, windows: 8, .seconds(3))
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
