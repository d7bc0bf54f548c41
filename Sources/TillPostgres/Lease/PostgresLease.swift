import Synchronization
import TillCore
import TillJournal

/// What this counter knows of its own lease, which is a row of the database: every batch renews it, and so does a
/// heartbeat.
///
/// A lease is no fence: whoever has lost it finds that out at the next write, which the database refuses. It says when
/// others may take over what this one holds.
final class PostgresLease: Sendable {
    private struct State {
        var confirmedAt: Span?
        var isLost = false
        /// Writes of which it could not be found out what became of them.
        var doubts = 0
        /// As many of them are settled.
        var settled = 0
    }

    /// A moment before something is sent.
    struct Mark: Sendable {
        fileprivate var at: Span
        fileprivate var doubts: Int
    }

    /// The counter's number in the journal.
    let owner: Int64
    /// For how long it may stand still.
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
    /// Nothing is written or sent under its number any more.
    var isLost: Bool { state.withLock(\.isLost) }

    /// Renewed so lately that nobody can have taken over: half of the lease is left at least.
    var isFresh: Bool {
        let now = monotonic()
        return state.withLock { state in
            guard !state.isLost, let confirmed = state.confirmedAt else { return false }
            return now.milliseconds - confirmed.milliseconds <= length.milliseconds / 2
        }
    }

    /// A commit that was sent after that moment is acknowledged: the lease is renewed, and what was committed before is
    /// as durable as that.
    func confirm(since mark: Mark) {
        state.withLock { state in
            state.confirmedAt = max(state.confirmedAt ?? mark.at, mark.at)
            state.settled = max(state.settled, mark.doubts)
        }
    }

    /// It is not known what became of a write, so what is read may vanish: the primary shows what no standby has yet.
    func doubt() { state.withLock { $0.doubts += 1 } }
    /// Nothing was acknowledged since.
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
