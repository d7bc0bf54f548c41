import Synchronization
import TillCore
import TillJournal

/// The state of this counter's own lease, which is a row of the database. Every batch and every heartbeat renews it.
///
/// A lease is not a fence: a counter learns that it lost its lease at its next write, which the database refuses. The
/// lease determines when other counters may take over.
final class PostgresLease: Sendable {
    private struct State {
        var confirmedAt: Span?
        var isLost = false
        /// The number of writes with an unknown outcome.
        var doubts = 0
        /// The number of them resolved.
        var settled = 0
    }

    /// A point in time before a command is sent.
    struct Mark: Sendable {
        fileprivate var at: Span
        fileprivate var doubts: Int
    }

    /// The counter's number in the journal.
    let owner: Int64
    /// The time that the counter may be stalled.
    let length: Span
    private let monotonic: @Sendable () -> Span
    private let onNotice: (@Sendable (LeaseNotice) -> Void)?
    private let state = Mutex(State())

    init(
        owner: Int64, length: Span, monotonic: @escaping @Sendable () -> Span,
        onNotice: (@Sendable (LeaseNotice) -> Void)?
    ) {
        (self.owner, self.length, self.monotonic, self.onNotice) = (owner, length, monotonic, onNotice)
    }

    func now() -> Span { monotonic() }
    func mark() -> Mark {
        let now = monotonic()
        return state.withLock { Mark(at: now, doubts: $0.doubts) }
    }
    /// `true` once the lease is lost; nothing is written or sent under its number afterwards.
    var isLost: Bool { state.withLock(\.isLost) }

    /// `true` if the last renewal is recent enough that no other counter can have taken over: at least half of the
    /// lease remains.
    var isFresh: Bool {
        let now = monotonic()
        return state.withLock { state in
            guard !state.isLost, let confirmed = state.confirmedAt else { return false }
            return now.milliseconds - confirmed.milliseconds <= length.milliseconds / 2
        }
    }

    /// Records the acknowledgment of a commit sent after `mark`: the lease is renewed, and earlier commits are as
    /// durable as this one.
    func confirm(since mark: Mark) {
        state.withLock { state in
            state.confirmedAt = max(state.confirmedAt ?? mark.at, mark.at)
            state.settled = max(state.settled, mark.doubts)
        }
    }

    /// Records a write with an unknown outcome. Until the next acknowledged commit, data read may be lost: the primary
    /// shows commits that no standby has yet.
    func doubt() { state.withLock { $0.doubts += 1 } }
    /// `true` if no commit was acknowledged since a write with an unknown outcome.
    var isInDoubt: Bool { state.withLock { $0.doubts > $0.settled } }

    func lose() {
        let isNew = state.withLock { state in
            defer { state.isLost = true }
            return !state.isLost
        }
        if isNew { onNotice?(.lost) }
    }

    func tookOver(_ owner: Int64, _ description: String, lease: Span) {
        onNotice?(.tookOver(process: owner, description: description, lease: lease))
    }
}
