import Synchronization
import TillCore
import TillJournal

/// What this counter knows of its own lease, which is a row of the database: every batch renews it, and so does a heartbeat.
///
/// A lease is no fence: whoever has lost it finds that out at the next write, which the database refuses. It says when
/// others may take over what this one holds.
final class PostgresLease: Sendable {
    private struct State {
        var confirmedAt: Span?
        var isLost = false
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

    /// The database has renewed it by something that was sent after that moment.
    func confirm(since moment: Span) { state.withLock { $0.confirmedAt = max($0.confirmedAt ?? moment, moment) } }

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
