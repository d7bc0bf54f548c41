import Synchronization
package import TillCore

/// Throttles sign-in guessing. After too many failures an address waits, longer each time, and its attempts are refused
/// unchecked meanwhile; after many failures in total all addresses wait briefly. Start codes, keys and passkeys are
/// exempt, since they cannot be guessed: a right one always signs in.
package final class SignInThrottle: Sendable {
    /// The number of failures of one address without a wait.
    static let freeAttempts = 5
    /// The maximum wait of one address.
    static let longestWait = Span.seconds(30)
    /// The number of failures in total without a wait.
    static let freeAttemptsOfAll = 100
    /// The maximum wait of all addresses.
    static let longestWaitOfAll = Span.seconds(2)
    /// The first wait; it doubles with each further failure.
    static let firstWait = Span.seconds(1)
    /// The time after the last failure at which an address is forgotten.
    package static let memory = Span.minutes(15)
    /// The time after the last failure at which the total count is forgotten.
    static let memoryOfAll = Span.minutes(1)
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
            SignInThrottle.add(
                &count, now, SignInThrottle.memory, SignInThrottle.freeAttempts, SignInThrottle.longestWait)
            if state.addresses[address] == nil, state.addresses.count >= SignInThrottle.maximumAddresses,
                let oldest = state.addresses.min(by: { $0.value.last < $1.value.last })?.key
            {
                state.addresses[oldest] = nil
            }
            state.addresses[address] = count
            SignInThrottle.add(
                &state.all, now, SignInThrottle.memoryOfAll, SignInThrottle.freeAttemptsOfAll,
                SignInThrottle.longestWaitOfAll)
        }
    }

    private static func add(_ count: inout Count, _ now: Span, _ memory: Span, _ free: Int, _ longest: Span) {
        if now.milliseconds - count.last.milliseconds > memory.milliseconds { count.failures = 0 }
        count.failures = min(count.failures + 1, 1_000_000)
        count.last = now
        guard count.failures >= free else { return }
        let doubled = firstWait.milliseconds << min(count.failures - free, 10)
        count.until = Span(milliseconds: now.milliseconds + min(doubled, longest.milliseconds))
    }
}
