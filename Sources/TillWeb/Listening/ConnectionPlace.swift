package import NIOCore
import Synchronization
package import TillCounter

/// A connection's place among those of a listener: its state and idle time decide if it may be closed for another.
///
/// A place is either working on a request or reclaimed, never both: both transitions take the same lock. So a
/// connection with a sale in flight is never closed to make room.
package final class ConnectionPlace: Sendable {
    /// The time for which an authenticated client may leave a response unread before its connection may be reclaimed.
    /// An unauthenticated one's may be reclaimed at once.
    static let patienceWithReaders = TimeAmount.seconds(1)

    /// The order of reclaiming: the lowest rank first, among equals the longest idle.
    package struct Readiness: Comparable {
        /// 0: not authenticated; 1: authenticated by a key or session; 2: authenticated, with an unread response.
        let rank: Int
        package let since: NIODeadline

        package init(rank: Int, since: NIODeadline) {
            self.rank = rank
            self.since = since
        }

        package static func < (left: Readiness, right: Readiness) -> Bool {
            (left.rank, left.since) < (right.rank, right.since)
        }
    }

    private struct State {
        var since: NIODeadline
        var answersDue = 0
        var isWorking = false
        var isKnown = false
        var isWaiting = false
        var unreadSince: NIODeadline?
        var isTaken = false
    }

    package let address: ClientAddress
    /// `true` if only operators' probes are answered.
    let isForProbes: Bool
    private let state: Mutex<State>
    private let close: @Sendable () -> Void

    /// - Parameter close: Closes the connection at once; callable from any thread.
    package init(
        _ address: ClientAddress, isForProbes: Bool, at now: NIODeadline = .now(), close: @escaping @Sendable () -> Void
    ) {
        self.address = address
        self.isForProbes = isForProbes
        self.close = close
        state = Mutex(State(since: now))
    }

    /// Records the head of a request.
    /// - Returns: `false` if the place was reclaimed; the request must not be answered then.
    package func begin() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            state.answersDue += 1
            return true
        }
    }

    /// Records that a response was written completely.
    package func answered(at now: NIODeadline) {
        state.withLock { state in
            state.answersDue = max(0, state.answersDue - 1)
            state.since = now
        }
    }

    /// Marks the client as authenticated by a key or session, which ranks it above others.
    package func known() { state.withLock { $0.isKnown = true } }

    /// Begins work on a request.
    /// - Returns: `false` if the place was reclaimed; no work must be done then.
    package func startWork() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            state.isWorking = true
            return true
        }
    }

    /// Ends work on a request, just before its response is written.
    package func endWork() {
        state.withLock { state in
            state.isWorking = false
            state.isWaiting = false
        }
    }

    /// Records that a route waits and has done nothing yet: for the request's body, or because of a guess delay.
    func startWaiting() { state.withLock { $0.isWaiting = true } }

    /// Resumes a waiting route.
    /// - Returns: `false` if the place was reclaimed meanwhile; no work must be done then.
    package func endWaiting() -> Bool {
        state.withLock { state in
            state.isWaiting = false
            return !state.isTaken
        }
    }

    /// Records since when the client has left a response unread; `nil` when it reads again.
    func unread(since: NIODeadline?) { state.withLock { $0.unreadSince = since } }

    /// Returns the rank for reclaiming; `nil` while a request is in progress and not waiting.
    package func readiness(at now: NIODeadline) -> Readiness? { state.withLock { ConnectionPlace.readiness($0, now) } }

    private static func readiness(_ state: State, _ now: NIODeadline) -> Readiness? {
        guard !state.isTaken else { return nil }
        if state.isWorking {
            guard state.isWaiting else { return nil }
        } else if state.answersDue > 0 {
            guard let unread = state.unreadSince else { return nil }
            guard !state.isKnown || now - unread >= patienceWithReaders else { return nil }
        }
        let rank = !state.isKnown ? 0 : state.unreadSince == nil ? 1 : 2
        return Readiness(rank: rank, since: state.since)
    }

    /// Reclaims the place and closes the connection.
    /// - Returns: `false` if a request has begun meanwhile.
    package func take(at now: NIODeadline) -> Bool {
        let isTaken = state.withLock { state in
            guard ConnectionPlace.readiness(state, now) != nil else { return false }
            state.isTaken = true
            return true
        }
        if isTaken { close() }
        return isTaken
    }
}
