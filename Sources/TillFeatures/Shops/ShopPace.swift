import HTTPTypes
import Synchronization
import TillCore

/// How many orders of a shop are worked on at the same time. It doubles for as long as the shop answers more calls a
/// second by it; a shop that only gets slower goes back to the number before and is left there for a while. A small
/// shop is not flooded after an outage, and a large one is told without delay.
final class ShopPace: Sendable {
    private struct State {
        var limit = ShopSyncLimits.ordersAtOnce
        /// The calls per second before the last doubling, in thousandths; `nil` if the limit is not a trial.
        var before: Int64?
        /// The mean duration of a call at this limit, in milliseconds.
        var usual: Int64?
        /// The number of windows until the next trial.
        var rest = 0
        var sum: Int64 = 0
        var calls: Int64 = 0
        /// `true` if as many orders were at work as may be; otherwise the durations say nothing about more.
        var wasFull = false
    }

    private let state = Mutex(State())

    var limit: Int { state.withLock(\.limit) }

    /// Notes that as many orders are at work as may be.
    func noteFull() { state.withLock { $0.wasFull = true } }

    /// Notes the duration of a call that was answered, or given up.
    func note(_ duration: Span) {
        state.withLock { state in
            state.sum += min(max(1, duration.milliseconds), ShopPace.longest)
            state.calls += 1
            guard state.calls >= 2 * Int64(state.limit) else { return }
            let mean = max(1, state.sum / state.calls)
            ShopPace.judge(&state, mean)
            (state.sum, state.calls, state.wasFull) = (0, 0, false)
        }
    }

    private static func judge(_ state: inout State, _ mean: Int64) {
        let rate = Int64(state.limit) * 1_000_000 / mean
        let usual = state.usual ?? mean
        guard mean <= comfortable, mean <= 3 * usual + noise else { return step(&state, to: state.limit / 2) }
        state.usual = usual + (mean - usual) / 8
        guard state.wasFull else { return }
        if let before = state.before, rate < before + before * 3 / 10 {
            // Twice as many at once, and hardly more of them a second: the shop has no more to give.
            return step(&state, to: state.limit / 2)
        }
        state.before = nil
        guard state.rest == 0 else {
            state.rest -= 1
            return
        }
        guard state.limit < ShopSyncLimits.mostOrdersAtOnce else { return }
        (state.before, state.usual) = (rate, nil)
        state.limit = min(state.limit * 2, ShopSyncLimits.mostOrdersAtOnce)
    }

    private static func step(_ state: inout State, to limit: Int) {
        state.limit = max(limit, ShopSyncLimits.ordersAtOnce)
        (state.before, state.usual, state.rest) = (nil, nil, windowsOfRest)
    }

    /// Begins again with few.
    func reset() { state.withLock { $0 = State() } }

    /// The longest duration that counts, the mean beyond which there are too many, and what durations differ by without
    /// a reason, in milliseconds.
    private static let longest: Int64 = 60_000
    private static let comfortable: Int64 = 2_000
    private static let noise: Int64 = 20
    private static let windowsOfRest = 16
}

/// A transport that notes how long each call takes. A failure that comes at once is no sign of a fast shop.
struct PacedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let pace: ShopPace
    let clock: any TillClock

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let began = clock.now()
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(request, body: body, deadline: deadline)
        } catch {
            if case .unknown = error { pace.note(clock.now().since(began)) }
            throw error
        }
        if reply.response.status.code < 500 { pace.note(clock.now().since(began)) }
        return reply
    }
}
