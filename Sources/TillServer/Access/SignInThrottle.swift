import Synchronization
import TillCore

/// Makes guessing slow. Who was wrong too often waits, longer each time, and is not listened to meanwhile; so is
/// everybody for a moment when many were wrong. A right start code, key or passkey is never held back by it, since none
/// can be guessed: whoever has one gets in whatever others try.
final class SignInThrottle: Sendable {
    /// Wrong attempts of one address without a wait.
    static let freeAttempts = 5
    /// The longest wait of one address.
    static let longestWait = Span.seconds(30)
    /// Wrong attempts of all without a wait.
    static let freeAttemptsOfAll = 100
    /// The longest wait of all.
    static let longestWaitOfAll = Span.seconds(2)
    /// The first wait; the next ones are each twice as long.
    static let firstWait = Span.seconds(1)
    /// After how long without a wrong attempt an address is forgotten.
    static let memory = Span.minutes(15)
    /// After how long without a wrong attempt those of all are forgotten.
    static let memoryOfAll = Span.minutes(1)
    /// Addresses held at most; the one that was wrong least lately is forgotten for a further one.
    static let maximumAddresses = 1_024

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

    init(reading: @escaping @Sendable () -> Span = SystemClock.reading) { self.reading = reading }

    /// Attempts that were refused since the process started.
    var refused: Int { state.withLock { $0.refused } }

    /// Addresses that are held.
    var addresses: Int { state.withLock { $0.addresses.count } }

    /// How long an address has to wait; `nil` if it may try now.
    func wait(_ address: String) -> Span? {
        let now = reading()
        let until = state.withLock { max($0.addresses[address]?.until ?? now, $0.all.until) }
        return until > now ? Span(milliseconds: until.milliseconds - now.milliseconds) : nil
    }

    /// An attempt was wrong, or came too early.
    /// - Parameter isCounted: it was checked. One that was not does not lengthen the wait.
    func refuse(_ address: String, isCounted: Bool) {
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
