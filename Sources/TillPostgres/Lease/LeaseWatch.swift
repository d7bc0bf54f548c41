import Synchronization
import TillCore
import TillJournal

/// What a counter has seen of the others' leases.
///
/// A lease is over when it was not renewed for all its length, and some seconds, while this counter looked on, by its
/// own clock that only runs forward and in steps of two of its own renewals at most. The database's clock may be set,
/// or be another one after a promotion, and who looks on may have stood still himself: nobody dies of that.
final class LeaseWatch: Sendable {
    /// A lease as the database shows it.
    struct Sighting: Hashable, Sendable {
        var owner: Int64
        /// Each renewal and each batch changes one of these two.
        var until: Int64
        var batch: Int64
        /// What is left of it by the database's clock; less than nothing where it is over.
        var left: Span

        fileprivate func isRenewed(since earlier: Sighting) -> Bool {
            until != earlier.until || batch != earlier.batch
        }
    }

    private struct Watched {
        /// As it was when it was renewed last.
        var sighting: Sighting
        /// For how long it may be silent.
        var patience: Span
        /// For how long it was watched without being renewed.
        var silence = Span.milliseconds(0)
    }

    private struct State {
        var lookedAt: Span?
        var others: [Int64: Watched] = [:]
    }

    private let state = Mutex(State())

    /// Notes what is seen now.
    /// - Parameter length: of one's own lease. Another's may be longer: what is left of it at the first sight counts.
    /// - Returns: those that have been silent for too long.
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

    /// Nobody is judged by what was seen so far.
    func forget() { state.withLock { $0 = State() } }
}
