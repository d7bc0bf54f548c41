import NIOCore
import Synchronization

/// What one connection has among those of a listener: whether it may be closed for another one, and since when it
/// waits.
///
/// A request is either worked on or the place is taken, never both: whoever takes it and whoever begins to work ask the
/// same lock. So a connection with a sale in flight is never closed to make room.
final class ConnectionPlace: Sendable {
    /// For how long one who was let in may leave an answer unread before the connection may be closed for another one.
    /// A stranger's may at once.
    static let patienceWithReaders = TimeAmount.seconds(1)

    /// How readily a place is given to another connection: the lowest first, of equal ones that which waits longest.
    struct Readiness: Comparable {
        /// 0: a stranger's; 1: of one who was let in with a key or a session; 2: the same who leaves an answer unread.
        let rank: Int
        let since: NIODeadline

        static func < (left: Readiness, right: Readiness) -> Bool {
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

    let address: ClientAddress
    /// Only operators' probes are answered on it.
    let isForProbes: Bool
    private let state: Mutex<State>
    private let close: @Sendable () -> Void

    /// - Parameter close: closes the connection at once; from any thread.
    init(
        _ address: ClientAddress, isForProbes: Bool, at now: NIODeadline = .now(), close: @escaping @Sendable () -> Void
    ) {
        self.address = address
        self.isForProbes = isForProbes
        self.close = close
        state = Mutex(State(since: now))
    }

    /// A request's head has come.
    /// - Returns: false if the place was taken: then the request must not be answered.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            state.answersDue += 1
            return true
        }
    }

    /// An answer was written whole.
    func answered(at now: NIODeadline) {
        state.withLock { state in
            state.answersDue = max(0, state.answersDue - 1)
            state.since = now
        }
    }

    /// Who asks on it was let in with a key or a session, and stays longer than strangers.
    func known() { state.withLock { $0.isKnown = true } }

    /// A route begins to work on a request.
    /// - Returns: false if the place was taken: then nothing must be done.
    func startWork() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            state.isWorking = true
            return true
        }
    }

    /// What the request asked for is done, and its answer is about to be written.
    func endWork() {
        state.withLock { state in
            state.isWorking = false
            state.isWaiting = false
        }
    }

    /// A route waits, and has done nothing yet: for its request's body, or because somebody guesses.
    func startWaiting() { state.withLock { $0.isWaiting = true } }

    /// It goes on.
    /// - Returns: false if the place was taken meanwhile: then nothing must be done.
    func endWaiting() -> Bool {
        state.withLock { state in
            state.isWaiting = false
            return !state.isTaken
        }
    }

    /// The client leaves an answer unread since then, or reads again.
    func unread(since: NIODeadline?) { state.withLock { $0.unreadSince = since } }

    /// How readily it is given away; `nil` while a request is worked on and does not wait.
    func readiness(at now: NIODeadline) -> Readiness? { state.withLock { ConnectionPlace.readiness($0, now) } }

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

    /// Takes the place and closes the connection.
    /// - Returns: false if a request has begun meanwhile.
    func take(at now: NIODeadline) -> Bool {
        let isTaken = state.withLock { state in
            guard ConnectionPlace.readiness(state, now) != nil else { return false }
            state.isTaken = true
            return true
        }
        if isTaken { close() }
        return isTaken
    }
}
