import Synchronization
package import TillCore
package import TillCounter

/// Throttles sign-in guessing. After too many failures an address waits, longer each time, and its attempts are refused
/// unchecked meanwhile; after many failures in total all addresses wait briefly. Start codes, keys and passkeys are
/// exempt, since they cannot be guessed: a right one always signs in.
package final class SignInThrottle: Sendable {
    /// The policy for the failures of one address.
    package static let ofAddress = GuessPolicy(
        free: 4, first: .seconds(1), longest: .seconds(30), memory: .minutes(15))
    /// The policy for the failures in total.
    static let ofAll = GuessPolicy(free: 99, first: .seconds(1), longest: .seconds(2), memory: .minutes(1))
    /// The maximum number of remembered addresses; a further one evicts the one with the oldest failure.
    package static let maximumAddresses = 1_024

    private struct Count {
        var failures = 0
        var last: Span
        var until: Span
    }

    private struct State {
        var addresses: [String: Count] = [:]
        var all = Count(last: .milliseconds(0), until: .milliseconds(0))
        var refused = 0
    }

    private let state = Mutex(State())
    private let reading: @Sendable () -> Span

    package init(reading: @escaping @Sendable () -> Span = SystemClock.reading) { self.reading = reading }

    /// The number of attempts refused since the process started.
    package var refused: Int { state.withLock { $0.refused } }

    /// The number of remembered addresses.
    var addresses: Int { state.withLock { $0.addresses.count } }

    /// Returns the remaining wait of an address; `nil` if it may try now.
    package func wait(_ address: String) -> Span? {
        let now = reading()
        let until = state.withLock { max($0.addresses[address]?.until ?? now, $0.all.until) }
        return until > now ? Span(milliseconds: until.milliseconds - now.milliseconds) : nil
    }

    /// Records a failed or premature attempt.
    /// - Parameter isCounted: `true` if the attempt was checked. An unchecked one does not lengthen the wait.
    package func refuse(_ address: String, isCounted: Bool) {
        let now = reading()
        state.withLock { state in
            state.refused &+= 1
            guard isCounted else { return }
            var count = state.addresses[address] ?? Count(last: now, until: now)
            SignInThrottle.add(&count, now, SignInThrottle.ofAddress)
            if state.addresses[address] == nil, state.addresses.count >= SignInThrottle.maximumAddresses,
                let oldest = state.addresses.min(by: { $0.value.last < $1.value.last })?.key
            {
                state.addresses[oldest] = nil
            }
            state.addresses[address] = count
            SignInThrottle.add(&state.all, now, SignInThrottle.ofAll)
        }
    }

    private static func add(_ count: inout Count, _ now: Span, _ policy: GuessPolicy) {
        if now.milliseconds - count.last.milliseconds > policy.memory.milliseconds { count.failures = 0 }
        count.failures = min(count.failures + 1, 1_000_000)
        count.last = now
        let wait = policy.wait(after: count.failures)
        if wait > .milliseconds(0) { count.until = Span(milliseconds: now.milliseconds + wait.milliseconds) }
    }
}
