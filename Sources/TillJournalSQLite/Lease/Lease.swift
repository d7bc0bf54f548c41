import Synchronization
import TillCore
import TillJournal

/// This process's lease on what it holds, and its view of other processes' leases.
///
/// A process proves that it is alive in two ways: by a lock, which the system releases at its death, and by a heartbeat
/// beside the lock, which it increments `JournalLimits.leaseRenewals` times per lease. A process with a lock and an
/// unchanged heartbeat is stalled. A process that has observed this for the duration of that lease fences the stalled
/// process's number in the journal (`process.fenced_at`) and considers it dead from then on. Nothing is written under a
/// fenced number, so its process must end; its successor has a higher number.
///
/// Times of two processes are never compared: the heartbeat contains none, and each process measures the silence of
/// others on its own monotonic clock, in steps of at most two of their renewals. A changed wall clock, a suspended
/// machine or a stall of the observer thus costs no process its lease.
///
/// A renewal writes the heartbeat and then reads the fence; a takeover writes the fence and then reads the heartbeat.
/// In every order, at least one of the two sees the other.
final class Lease: Sendable {
    /// The observations of another process.
    private struct Watched {
        var beat: OwnerFile.Beat
        /// The time for which its heartbeat has not changed.
        var silence = Span.milliseconds(0)
        /// `true` if its number is fenced and its heartbeat has not changed since.
        var isTakenOver = false
    }

    private struct State {
        /// The time of the last heartbeat after which the number was not fenced; `nil` before the first.
        var confirmedAt: Span?
        var isLost = false
        var polledAt: Span
        var others: [Int64: Watched] = [:]
    }

    /// The number of this process in the journal.
    let number: Int64
    /// The duration of the lease: the time for which the process may stall.
    let length: Span
    private let owners: OwnerFile
    private let monotonic: @Sendable () -> Span
    private let onNotice: (@Sendable (LeaseNotice) -> Void)?
    private let state: Mutex<State>

    /// Creates the lease of a process that holds its lock.
    init(
        _ owners: OwnerFile, number: Int64, length: Span, monotonic: @escaping @Sendable () -> Span,
        onNotice: (@Sendable (LeaseNotice) -> Void)?
    ) {
        self.owners = owners
        self.number = number
        self.length = length
        self.monotonic = monotonic
        self.onNotice = onNotice
        state = Mutex(State(polledAt: monotonic()))
        owners.beat(number, lease: length)
    }

    /// `true` once the number was found fenced: nothing more is written or sent under it.
    var isLost: Bool { state.withLock(\.isLost) }

    /// `true` if the lease was confirmed so recently that no process can have fenced it: at least half of it is left.
    var isFresh: Bool {
        let now = monotonic()
        return state.withLock { state in
            guard !state.isLost, let confirmed = state.confirmedAt else { return false }
            return now.since(confirmed) <= length.milliseconds / 2
        }
    }

    /// Increments the heartbeat and then checks whether the number is fenced. If either fails, the lease is not
    /// confirmed.
    func renew(isFenced: () async throws(JournalError) -> Bool) async throws(JournalError) {
        let began = monotonic()
        guard owners.beat(number, lease: length) else { return }
        guard try await !isFenced() else { return lose() }
        state.withLock { $0.confirmedAt = began }
    }

    func lose() {
        let isNew = state.withLock { state in
            defer { state.isLost = true }
            return !state.isLost
        }
        if isNew { onNotice?(.lost) }
    }

    /// Checks the heartbeats of all others.
    /// - Returns: the processes that were silent for longer than a lease and are not taken over yet.
    func silentOthers() -> [Int64] {
        let now = monotonic()
        let beats = owners.living().filter { $0 != number }.compactMap { other in
            owners.lastBeat(of: other).map { (other, $0) }
        }
        return state.withLock { state in
            let passed = max(0, now.since(state.polledAt))
            state.polledAt = now
            var others: [Int64: Watched] = [:]
            for (other, beat) in beats {
                // A taken-over process remains so even if it resumes: all it finds is the fence.
                guard var watched = state.others[other], watched.beat == beat || watched.isTakenOver else {
                    others[other] = Watched(beat: beat)
                    continue
                }
                let step = min(passed, 2 * Lease.renewal(of: beat.lease).milliseconds)
                watched.silence = .milliseconds(watched.silence.milliseconds + step)
                others[other] = watched
            }
            state.others = others
            return others.filter { !$1.isTakenOver && $1.silence >= $1.beat.lease }.keys.sorted()
        }
    }

    /// Returns the numbers of all live processes with their lease durations; `nil` for a process of an earlier version.
    func living() -> [(number: Int64, length: Span?)] {
        owners.living().sorted().map { ($0, owners.lastBeat(of: $0)?.lease) }
    }

    /// Takes over from a process fenced in the journal. One that has renewed meanwhile resumes, finds the fence and
    /// ends by itself.
    /// - Returns: `true` if it is considered dead from now on.
    func takeOver(_ other: Int64, description: String) -> Bool {
        let beat = owners.lastBeat(of: other)
        let lease = state.withLock { state -> Span? in
            guard var watched = state.others[other], watched.beat == beat, !watched.isTakenOver else { return nil }
            watched.isTakenOver = true
            state.others[other] = watched
            return watched.beat.lease
        }
        if let lease { onNotice?(.tookOver(process: other, description: description, lease: lease)) }
        return lease != nil
    }

    /// Returns the renewal interval of a lease of that duration.
    static func renewal(of length: Span) -> Span { .milliseconds(length.milliseconds / JournalLimits.leaseRenewals) }

    /// `true` if the process is alive and, as far as this one knows, still has its lease.
    func isAlive(_ other: Int64) -> Bool {
        guard owners.isAlive(other) else { return false }
        return state.withLock { !($0.others[other]?.isTakenOver ?? false) }
    }
}

extension Span {
    /// Returns the milliseconds since another reading of the same clock.
    fileprivate func since(_ other: Span) -> Int64 { milliseconds &- other.milliseconds }
}
