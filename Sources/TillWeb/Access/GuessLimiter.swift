import HTTPTypes
package import Logging
import Synchronization
package import TillCore
import TillCounter

/// Slows down guessing: the response to a wrong secret is delayed, longer each time. A right secret is never delayed,
/// since it is resolved first.
///
/// Failures are counted by client address, and in total against distributed guessing. Memory is bounded: beyond the
/// maximum number of addresses the least recently seen one is evicted, and guessing from that many is slowed by the
/// total count.
package final class GuessLimiter: Sendable {
    /// The maximum number of remembered addresses.
    package static let maximumAddresses = 4_096
    /// The number of wrong secrets from one address answered without delay.
    static let freeGuesses = 10
    /// The number of wrong secrets in total, within ``memory``, answered without delay.
    static let freeGuessesInAll = 1_000
    /// The time for which an address is remembered after its last wrong secret.
    package static let memory = Span.minutes(10)
    /// The maximum number of delayed requests; more are refused immediately.
    package static let maximumWaiting = 256
    /// The minimum interval between log lines.
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
    private let ofAddress: GuessPolicy
    private let ofAll: GuessPolicy
    private let clock: any TillClock
    private let logger: Logger
    /// The kind of secret, for the log and the refusal: `key`, `receipt link`.
    private let secret: String

    /// - Parameter longestDelay: The maximum delay; 0 disables delays.
    package init(of secret: String, longestDelay: Span, clock: any TillClock, logger: Logger) {
        (self.secret, self.clock, self.logger) = (secret, clock, logger)
        let first = Span.milliseconds(50)
        ofAddress = GuessPolicy(
            free: GuessLimiter.freeGuesses, first: first, longest: longestDelay, memory: GuessLimiter.memory)
        ofAll = GuessPolicy(
            free: GuessLimiter.freeGuessesInAll, first: first, longest: longestDelay, memory: GuessLimiter.memory)
        state = Mutex(State(inAll: Guesser(last: .now)))
    }

    /// The number of wrong secrets since the counter was opened.
    package var refused: Int { state.withLock { $0.refused } }
    /// The number of requests currently delayed.
    package var waiting: Int { state.withLock { $0.waiting } }
    /// The number of addresses currently remembered.
    var remembered: Int { state.withLock { $0.guessers.count } }

    /// Delays the response to a wrong secret; returns when it may be sent. While it waits, its connection may be closed
    /// in favor of another: nothing was done for it.
    /// - Parameter address: The client address; `nil` (unknown) counts as one address.
    /// - Throws: 429 if too many requests wait, or if the client disconnected or its connection was reclaimed
    ///   meanwhile.
    package func refuse(from address: String?) async throws {
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
        // What is answered then may still reach a client behind a proxy.
        guard await clock.pause(for: delay), place?.endWaiting() ?? true else {
            throw GuessLimiter.crowded(secret, delay)
        }
    }

    /// Counts a wrong secret.
    /// - Returns: The delay, and the count for the log if a line is due.
    package func note(_ address: String, at now: ContinuousClock.Instant) -> (delay: Span, reported: Int?) {
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
            let delay = max(ofAddress.wait(after: guesser.count), ofAll.wait(after: state.inAll.count))
            return (delay, reported)
        }
    }

    private static func count(_ guesser: inout Guesser, _ now: ContinuousClock.Instant) {
        if guesser.last + memory.duration <= now { guesser.count = 0 }
        guesser.count += 1
        guesser.last = now
    }

    /// Evicts expired addresses, or else the least recently seen one.
    private static func makeRoom(in guessers: inout [String: Guesser], _ now: ContinuousClock.Instant) {
        guessers = guessers.filter { $0.value.last + memory.duration > now }
        guard guessers.count >= maximumAddresses, let oldest = guessers.min(by: { $0.value.last < $1.value.last })
        else { return }
        guessers[oldest.key] = nil
    }

    private static func crowded(_ secret: String, _ delay: Span) -> Problem {
        Problem(
            .tooManyRequests, "too_many_guesses",
            "Too many requests come with a wrong \(secret). This one was not checked further; nothing was done.",
            next: "Send the right \(secret); that is answered at once."
        ).retrying(after: max(1, Int(clamping: delay.milliseconds / 1_000)))
    }
}
