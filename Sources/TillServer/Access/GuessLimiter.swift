import HTTPTypes
import Logging
import Synchronization
import TillCore

/// Makes guessing slow: whoever comes with a secret that is wrong waits for the answer, longer each time. A right one
/// never waits, since it is looked up before.
///
/// Counted by address, and in all for those who have many. Its memory is bounded: of more addresses than it keeps the
/// one that was heard of longest ago is forgotten, and who guesses from that many is held up by the count in all.
final class GuessLimiter: Sendable {
    /// Addresses that are remembered at once.
    static let maximumAddresses = 4_096
    /// Wrong ones from an address that are answered at once.
    static let freeGuesses = 10
    /// Wrong ones in all, within ``memory``, that are answered at once.
    static let freeGuessesInAll = 1_000
    /// What the first wrong one beyond those waits; each further one waits twice as long.
    static let firstDelay = Span.milliseconds(50)
    /// How long an address is remembered after its last wrong one.
    static let memory = Span.minutes(10)
    /// Requests that wait at once; more are refused without waiting.
    static let maximumWaiting = 256
    /// How often the log has a line.
    static let logInterval = Span.minutes(1)

    private struct Guesser {
        var count = 0
        var last: ContinuousClock.Instant
    }

    private struct State {
        var guessers: [String: Guesser] = [:]
        var inAll: Guesser
        var waiting = 0
        var refused = 0
        var unlogged = 0
        var logged: ContinuousClock.Instant?
    }

    private let state: Mutex<State>
    private let longestDelay: Span
    private let clock: any TillClock
    private let logger: Logger
    /// What was wrong, for the log: `key`.
    private let secret: String

    /// - Parameter longestDelay: what one waits at most; of 0 nobody waits.
    init(of secret: String, longestDelay: Span, clock: any TillClock, logger: Logger) {
        (self.secret, self.longestDelay, self.clock, self.logger) = (secret, longestDelay, clock, logger)
        state = Mutex(State(inAll: Guesser(last: .now)))
    }

    /// Wrong ones since the counter was opened.
    var refused: Int { state.withLock { $0.refused } }
    /// Requests that wait now.
    var waiting: Int { state.withLock { $0.waiting } }
    /// Addresses that are remembered now.
    var remembered: Int { state.withLock { $0.guessers.count } }

    /// Called with each wrong one; returns when it may be answered. While it waits its connection may be closed for
    /// another one: nothing was done for it.
    /// - Parameter address: whose it is; `nil`: nobody knows, which counts as one address.
    /// - Throws: 429 if too many wait; `CancellationError` if the client has hung up, or its place was taken.
    func refuse(from address: String?) async throws {
        let (delay, reported) = note(address ?? "unknown", at: .now)
        if let reported {
            logger.warning(
                "\(reported) requests came with a wrong \(secret), the last from \(address ?? "an unknown address").")
        }
        guard delay > .milliseconds(0) else { return }
        let hasPlace = state.withLock { state in
            guard state.waiting < GuessLimiter.maximumWaiting else { return false }
            state.waiting += 1
            return true
        }
        guard hasPlace else { throw GuessLimiter.crowded(secret, delay) }
        defer { state.withLock { $0.waiting -= 1 } }
        let place = Connection.current?.place
        place?.startWaiting()
        try await clock.sleep(for: delay)
        guard place?.endWaiting() ?? true else { throw CancellationError() }
    }

    /// Counts a wrong secret.
    /// - Returns: what it waits, and how many a line of the log is to report, if one is due.
    func note(_ address: String, at now: ContinuousClock.Instant) -> (delay: Span, reported: Int?) {
        state.withLock { state in
            var guesser = state.guessers[address] ?? Guesser(last: now)
            GuessLimiter.count(&guesser, now)
            GuessLimiter.count(&state.inAll, now)
            if state.guessers[address] == nil, state.guessers.count >= GuessLimiter.maximumAddresses {
                GuessLimiter.makeRoom(in: &state.guessers, now)
            }
            state.guessers[address] = guesser
            state.refused += 1
            state.unlogged += 1
            var reported: Int?
            if state.logged.map({ $0 + GuessLimiter.logInterval.duration <= now }) ?? true {
                (reported, state.unlogged, state.logged) = (state.unlogged, 0, now)
            }
            let delay = max(
                GuessLimiter.delay(guesser.count - GuessLimiter.freeGuesses),
                GuessLimiter.delay(state.inAll.count - GuessLimiter.freeGuessesInAll))
            return (min(delay, longestDelay), reported)
        }
    }

    private static func count(_ guesser: inout Guesser, _ now: ContinuousClock.Instant) {
        if guesser.last + memory.duration <= now { guesser.count = 0 }
        guesser.count += 1
        guesser.last = now
    }

    /// Forgets whoever is over, or else the one that was heard of longest ago.
    private static func makeRoom(in guessers: inout [String: Guesser], _ now: ContinuousClock.Instant) {
        guessers = guessers.filter { $0.value.last + memory.duration > now }
        guard guessers.count >= maximumAddresses, let oldest = guessers.min(by: { $0.value.last < $1.value.last })
        else { return }
        guessers[oldest.key] = nil
    }

    /// Doubled with each guess beyond the free ones.
    private static func delay(_ beyond: Int) -> Span {
        guard beyond > 0 else { return .milliseconds(0) }
        return .milliseconds(firstDelay.milliseconds << Int64(min(beyond - 1, 20)))
    }

    private static func crowded(_ secret: String, _ delay: Span) -> Problem {
        Problem(
            .tooManyRequests, "too_many_guesses",
            "Too many requests come with a wrong \(secret). This one was not checked further; nothing was done.",
            next: "Send the right \(secret); that is answered at once."
        ).retrying(after: max(1, Int(clamping: delay.milliseconds / 1_000)))
    }
}
