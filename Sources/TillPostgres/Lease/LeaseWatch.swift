import Synchronization
import TillCore
import TillJournal

/// The observed leases of the other counters.
///
/// A lease has expired once it was not renewed for its full length plus a grace period, measured by this counter's
/// monotonic clock and credited in steps of at most two renewal intervals. The database's clock may be adjusted, or
/// change on a promotion, and this observer may itself have been suspended: neither makes a live counter count as dead.
final class LeaseWatch: Sendable {
    /// A lease as the database shows it.
    struct Sighting: Hashable, Sendable {
        var owner: Int64
        /// Each renewal and each batch changes one of these two.
        var until: Int64
        var batch: Int64
        /// The remaining time by the database's clock; negative after expiry.
        var left: Span

        fileprivate func isRenewed(since earlier: Sighting) -> Bool {
            until != earlier.until || batch != earlier.batch
        }
    }

    private struct Watched {
        /// The last sighting with a renewal.
        var sighting: Sighting
        /// The permitted time without a renewal.
        var patience: Span
        /// The observed time without a renewal.
        var silence = Span.milliseconds(0)
    }

    private struct State {
        var lookedAt: Span?
        var others: [Int64: Watched] = [:]
    }

    private let state = Mutex(State())

    /// Records the current sightings.
    /// - Parameter length: the length of this counter's own lease. Another counter's may be longer: its remaining time
    ///   at first sight counts.
    /// - Returns: the leases that were silent for too long.
    func silent(_ sightings: [Sighting], at now: Span, length: Span) -> [Sighting] {
        state.withLock { state in
            let passed = state.lookedAt.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
            let step = min(passed, 2 * length.milliseconds / JournalLimits.leaseRenewals)
            let known = state.others
            state = State(lookedAt: now)
            return sightings.filter { sighting in
                guard var watched = known[sighting.owner], !sighting.isRenewed(since: watched.sighting) else {
                    let lease = min(max(sighting.left, length), PostgresLimits.longestLease)
                    state.others[sighting.owner] = Watched(
                        sighting: sighting, patience: lease.adding(PostgresLimits.leaseGrace))
                    return false
                }
                watched.silence = watched.silence.adding(.milliseconds(step))
                state.others[sighting.owner] = watched
                return watched.silence >= watched.patience
            }
        }
    }

    /// Discards all observations.
    func forget() { state.withLock { $0 = State() } }
}
