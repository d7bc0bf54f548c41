import Synchronization
import Testing
import TillCore
import TillTapToPay
import TillTestSupport

/// A clock that stands until it is moved.
private final class StandingClock: TillClock {
    private let time = Mutex<Int64>(1_795_000_000_000)
    func now() -> Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }
    func sleep(for span: Span) async throws { advance(by: span) }
    func advance(by span: Span) { time.withLock { $0 += span.milliseconds } }
}

@Suite struct TokenTests {
    @Test func tokenIsSeenNowhereButInItsRawValue() {
        let token = PaymentCardReader.Token(rawValue: "secret-text")
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!"\(token) \(String(reflecting: token)) \(dumped)".contains("secret-text"))
        #expect(token.rawValue == "secret-text")
    }

    @Test func whoeverAsksShortlyBeforeTheEndGetsANewTokenAlsoWhereNobodyWatches() async throws {
        let clock = ManualClock(waits: .moveTime(upTo: .seconds(29)))
        let fetched = Mutex(0)
        let keeper = ReaderTokenKeeper(clock: clock) {
            fetched.withLock { count in
                count += 1
                return "token-\(count)"
            }
        }
        #expect(try await keeper.token().rawValue == "token-1")
        let left = try #require(await keeper.untilRenewal)
        clock.advance(by: .milliseconds(left.milliseconds - 1))
        #expect(try await keeper.token().rawValue == "token-1")
        clock.advance(by: .milliseconds(1))
        #expect(try await keeper.token().rawValue == "token-2")
        #expect(try await keeper.token().rawValue == "token-2")
    }
}
