import Testing
import TillCore
import TillTestSupport

@testable import TillStripe

@Suite("Waiting for a reader", .timeLimit(.minutes(30))) struct TerminalFeedTests {
    /// Time is over at once: without news the next look comes all the same.
    private struct RushingClock: TillClock {
        func now() -> Timestamp { Timestamp(milliseconds: 0) }
        func sleep(for span: Span) async throws { try #require(span == .milliseconds(700)) }
    }

    @Test("a webhook about the reader ends the wait at once")
    func news() async {
        let feed = TerminalFeed()
        let wait = feed.begin("tmr_1", ProviderReference(rawValue: "pi_1"))
        #expect(feed.reader(of: ProviderReference(rawValue: "pi_1")) == "tmr_1")
        feed.changed("tmr_1")
        await wait.pause(atMost: .milliseconds(700), clock: ManualClock(waits: .last))
        feed.end(wait)
        #expect(feed.busyReaders.isEmpty)
    }

    @Test("without a webhook the wait ends by itself")
    func backstop() async {
        let feed = TerminalFeed()
        let wait = feed.begin("tmr_1", nil)
        feed.changed("tmr_2")
        await wait.pause(atMost: .milliseconds(700), clock: RushingClock())
        feed.end(wait)
    }

    /// Counts the waits that lasted their span; one that something else ends is not counted.
    private actor CountingClock: TillClock {
        private(set) var waits = 0

        nonisolated func now() -> Timestamp { Timestamp(milliseconds: 0) }
        func sleep(for span: Span) async throws {
            try await Task.sleep(for: .milliseconds(20))
            waits += 1
        }
    }

    @Test("each wait lasts its span, however many there were before it, and news end each")
    func everyWait() async {
        let feed = TerminalFeed()
        let wait = feed.begin("tmr_1", nil)
        let clock = CountingClock()
        for number in 1...5 {
            await wait.pause(atMost: .milliseconds(700), clock: clock)
            #expect(await clock.waits == number)
        }
        for _ in 1...3 {
            feed.changed("tmr_1")
            await wait.pause(atMost: .milliseconds(700), clock: ManualClock(waits: .last))
        }
        feed.end(wait)
    }

    @Test("the readers of refunds that are remembered have a limit")
    func limit() {
        let feed = TerminalFeed()
        for number in 0...TerminalFeed.maximumRefunds {
            feed.useReader("tmr_1", forRefundOf: PaymentID(rawValue: "pay_\(number)"))
        }
        let known = (0...TerminalFeed.maximumRefunds).count {
            feed.refundReader(of: PaymentID(rawValue: "pay_\($0)")) != nil
        }
        #expect(known == TerminalFeed.maximumRefunds)
    }
}
