import HTTPTypes
import Logging
import Testing
import TillCore
@testable import TillCounter
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("Guessing is made slow", .timeLimit(.minutes(1)))
struct GuessLimiterTests {
    private func limiter(_ longest: Span = .seconds(2), clock: any TillClock = ManualClock()) -> GuessLimiter {
        GuessLimiter(of: "key", longestDelay: longest, clock: clock, logger: Logger(label: "test"))
    }

    @Test("The first are answered at once; then each waits twice as long, up to a limit")
    func grows() {
        let (limiter, now) = (limiter(), ContinuousClock.now)
        let delays = (0..<18).map { _ in limiter.note("a", at: now).delay.milliseconds }
        #expect(delays == Array(repeating: 0, count: 10) + [50, 100, 200, 400, 800, 1_600, 2_000, 2_000])
        #expect(limiter.note("b", at: now).delay == .milliseconds(0), "another address waits for nobody")
        #expect(limiter.note("a", at: now + GuessLimiter.memory.duration).delay == .milliseconds(0))
        #expect(limiter.refused == 20)
    }

    @Test("Whoever has many addresses is held up by the count in all, and fills no memory")
    func manyAddresses() {
        let (limiter, now) = (limiter(), ContinuousClock.now)
        var last = Span.milliseconds(0)
        for number in 0..<(GuessLimiter.maximumAddresses + 10) { last = limiter.note("\(number)", at: now).delay }
        #expect(last == .seconds(2))
        #expect(limiter.remembered == GuessLimiter.maximumAddresses)
    }

    @Test("The log has one line a minute that says how many")
    func log() {
        let (limiter, now) = (limiter(), ContinuousClock.now)
        #expect(limiter.note("a", at: now).reported == 1)
        for _ in 0..<5 { #expect(limiter.note("a", at: now + .seconds(59)).reported == nil) }
        #expect(limiter.note("a", at: now + .seconds(60)).reported == 6)
    }

    @Test("No more than a number of requests wait at once; the others are told so")
    func crowd() async throws {
        let limiter = limiter(clock: ManualClock(waits: .last))
        let now = ContinuousClock.now
        for _ in 0..<30 { _ = limiter.note("a", at: now) }
        let waiting = (0..<GuessLimiter.maximumWaiting).map { _ in Task { try await limiter.refuse(from: "a") } }
        while limiter.waiting < GuessLimiter.maximumWaiting { await Task.yield() }
        let problem = await #expect(throws: Problem.self) { try await limiter.refuse(from: "a") }
        #expect(problem?.code == "too_many_guesses" && problem?.headers[.retryAfter] == "2")
        for task in waiting { task.cancel() }
        for task in waiting { _ = await task.result }
        #expect(limiter.waiting == 0)
    }
}
