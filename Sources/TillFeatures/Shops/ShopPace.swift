import HTTPTypes
import Synchronization
import TillCore

/// How many orders of a shop are worked on at the same time. It doubles while the shop answers about as fast as with
/// fewer, and is halved when the shop becomes slow: a small shop is not flooded after an outage, and a large one is told
/// without delay.
final class ShopPace: Sendable {
    private struct State {
        var limit = ShopSyncLimits.ordersAtOnce
        /// The mean duration of a call, in milliseconds, when the shop was fastest.
        var fastest: Int64?
        var sum: Int64 = 0
        var calls: Int64 = 0
        /// `true` if as many orders were at work as may be; otherwise the durations say nothing about more.
        var wasFull = false
    }

    private let state = Mutex(State())

    var limit: Int { state.withLock(\.limit) }

    /// Notes that as many orders are at work as may be.
    func noteFull() { state.withLock { $0.wasFull = true } }

    /// Notes the duration of a call.
    func note(_ duration: Span) {
        state.withLock { state in
            state.sum += min(max(0, duration.milliseconds), ShopPace.longest)
            state.calls += 1
            guard state.calls >= 2 * Int64(state.limit) else { return }
            let mean = state.sum / state.calls
            let fastest = state.fastest ?? mean
            if mean > 3 * fastest + ShopPace.noise {
                state.limit = max(state.limit / 2, ShopSyncLimits.ordersAtOnce)
            } else if mean <= fastest + fastest / 2 + ShopPace.noise, state.wasFull {
                state.limit = min(state.limit * 2, ShopSyncLimits.mostOrdersAtOnce)
            }
            // A shop that has become slower for good is compared with itself after a while.
            state.fastest = mean < fastest ? mean : fastest + (mean - fastest) / 8
            (state.sum, state.calls, state.wasFull) = (0, 0, false)
        }
    }

    /// Begins again with few.
    func reset() { state.withLock { $0 = State() } }

    /// The longest duration that counts, and what durations differ by without a reason, in milliseconds.
    private static let longest: Int64 = 60_000
    private static let noise: Int64 = 20
}

/// A transport that notes how long each call takes.
struct PacedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let pace: ShopPace
    let clock: any TillClock

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let began = clock.now()
        defer { pace.note(clock.now().since(began)) }
        return try await transport.send(request, body: body, deadline: deadline)
    }
}
