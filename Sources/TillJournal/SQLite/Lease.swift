import Synchronization
import TillCore

/// This process's lease on what it holds, and what it knows of the leases of others.
///
/// A process proves its life twice: by a lock, which the system drops at its death, and by a beat beside the lock,
/// which it counts up ``JournalLimits/leaseRenewals`` times in a lease. One that has its lock and does not count stands
/// still. Whoever has watched that for as long as that one's lease fences its number in the journal
/// (`process.fenced_at`), and takes it for dead from then on. A number that is fenced writes nothing any more, so its
/// process has to end; the next one has a higher number.
///
/// No times of two processes are compared: the beat has none, and each process counts the silence of others on its own
/// monotonic clock, in steps of two of their renewals at most. So neither a wall clock that is set nor a machine that
/// slept, nor a judge who stood still himself, costs anybody a lease.
///
/// Who renews writes his beat first and reads the fence then; who fences writes the fence first and reads the beat
/// then. So one of the two sees the other, in every order.
final class Lease: Sendable {
    /// What is known of another process.
    private struct Watched {
        var beat: OwnerFile.Beat
        /// For how long it was watched without another beat.
        var silence = Span.milliseconds(0)
        /// Its number is fenced, and it has not counted since.
        var isTakenOver = false
    }

    private struct State {
        /// When the beat was counted up last and the number was not fenced after that; `nil`: not yet.
        var confirmedAt: Span?
        var isLost = false
        var polledAt: Span
        var others: [Int64: Watched] = [:]
    }

    /// The number of this process in the journal.
    let number: Int64
    /// For how long it may stand still.
    let length: Span
    private let owners: OwnerFile
    private let monotonic: @Sendable () -> Span
    private let onNotice: (@Sendable (LeaseNotice) -> Void)?
    private let state: Mutex<State>

    /// Of a process whose lock is taken.
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

    /// The number was found fenced: nothing is written or sent under it any more.
    var isLost: Bool { state.withLock(\.isLost) }

    /// Confirmed so lately that nobody can have fenced it: half of the lease is left at least.
    var isFresh: Bool {
        let now = monotonic()
        return state.withLock { state in
            guard !state.isLost, let confirmed = state.confirmedAt else { return false }
            return now.since(confirmed) <= length.milliseconds / 2
        }
    }

    /// Counts the beat up and then asks whether the number is fenced. What cannot be counted or asked is not confirmed.
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
    /// - Returns: those who were silent for longer than a lease and are not taken over.
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
                // Who was taken over stays so when it goes on: all that it finds is the fence.
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

    /// The numbers of all processes that live, and for how long each may stand still; `nil` for one of an earlier Till.
    func living() -> [(number: Int64, length: Span?)] {
        owners.living().sorted().map { ($0, owners.lastBeat(of: $0)?.lease) }
    }

    /// The number is fenced in the journal. One that has counted meanwhile goes on, finds the fence and ends by itself.
    /// - Returns: whether it is taken for dead from now on.
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

    /// How often a lease of that length is renewed.
    static func renewal(of length: Span) -> Span { .milliseconds(length.milliseconds / JournalLimits.leaseRenewals) }

    /// Lives, and has its lease still, as far as this process knows.
    func isAlive(_ other: Int64) -> Bool {
        guard owners.isAlive(other) else { return false }
        return state.withLock { !($0.others[other]?.isTakenOver ?? false) }
    }
}

extension Span {
    /// Milliseconds from another reading of the same clock.
    fileprivate func since(_ other: Span) -> Int64 { milliseconds &- other.milliseconds }
}
