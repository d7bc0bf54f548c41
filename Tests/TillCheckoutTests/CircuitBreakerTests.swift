import Testing
import TillCheckout
import TillCore
import TillTestSupport

@Suite("The circuit breaker of a provider")
struct CircuitBreakerTests {
    private let start = ManualClock.start

    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.unansweredToOpen { breaker.unanswered(at: start) }
        return breaker
    }

    @Test("opens after so many calls in a row without an answer, and not before") func opens() {
        var breaker = CircuitBreaker()
        for count in 1..<CircuitBreaker.unansweredToOpen {
            breaker.unanswered(at: start)
            #expect(breaker.state == .closed(unanswered: count))
            #expect(breaker.permit(at: start) == .call)
        }
        breaker.unanswered(at: start)
        #expect(breaker.state == .open(nextProbe: start.adding(CircuitBreaker.probeInterval)))
        #expect(breaker.permit(at: start) == .nothing)
    }

    @Test("counts from the last answer on, whatever that was") func resets() {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.unansweredToOpen * 3 {
            breaker.unanswered(at: start)
            breaker.answered()
        }
        #expect(breaker.state == .closed(unanswered: 0))
    }

    @Test("lets one probe through after its interval, and nothing beside it") func probe() {
        var breaker = opened()
        let later = start.adding(CircuitBreaker.probeInterval)
        #expect(breaker.isBlocking(at: later.adding(.milliseconds(-1))))
        #expect(!breaker.isBlocking(at: later))
        #expect(breaker.permit(at: later) == .probe)
        #expect(breaker.permit(at: later) == .nothing)
        #expect(breaker.permit(at: later.adding(.seconds(31))) == .nothing)
        // Whoever made the probe may have died of it.
        #expect(breaker.permit(at: later.adding(CircuitBreaker.probeLifetime)) == .probe)
    }

    @Test("is decided by the probe: open for another interval, or closed") func decided() {
        let later = start.adding(CircuitBreaker.probeInterval)
        var silent = opened()
        #expect(silent.permit(at: later) == .probe)
        silent.unanswered(at: later)
        #expect(silent.state == .open(nextProbe: later.adding(CircuitBreaker.probeInterval)))
        // A call that began before is no second probe.
        silent.unanswered(at: later.adding(.seconds(20)))
        #expect(silent.state == .open(nextProbe: later.adding(CircuitBreaker.probeInterval)))
        var back = opened()
        #expect(back.permit(at: later) == .probe)
        back.answered()
        #expect(back.permit(at: later) == .call)
    }

    @Test("is not held open by a clock that was set back") func clockSetBack() {
        var breaker = opened()
        #expect(breaker.permit(at: start.adding(.hours(-1))) == .probe)
        #expect(breaker.permit(at: start.adding(.hours(-2))) == .probe)
    }
}
