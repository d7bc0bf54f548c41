/// A clock that is checked against independent sources: the journal's newest entry, the machine's monotonic clock, and
/// the dates in providers' answers.
///
/// - ``now()`` never goes below the newest entry of the journal, unless a provider or an operator states that the entry
///   is wrong. A clock that is set while the process runs is not followed: the time continues as before until a
///   provider or an operator confirms the new one.
/// - A provider takes precedence over the journal, and both over the machine. The latest statement decides.
/// - A doubt ends by itself when the clock is corrected.
///
/// May be used from any number of tasks.
public final class WitnessedClock: TillClock {
    /// The largest difference between clocks that raises no doubt: dates have whole seconds, answers take a minute at
    /// most, and synchronized machines agree within seconds.
    public static let tolerance = Span.minutes(5)
    /// The most that a clock may be ahead of the last confirmed time when a counter is opened: a night and a morning.
    public static let longestSilence = Span.days(1)
    /// The time for which an unconfirmable clock must run evenly until it is accepted.
    public static let takenAfter = Span.days(1)

    private enum Evidence {
        case none
        /// The journal's times, and the monotonic reading at which they were read.
        case journal(floor: Timestamp, proved: Timestamp, at: Span)
        /// The baseline was confirmed.
        case agreed
        /// A contradicting source, its time, and the monotonic reading at which it was received.
        case contradicted(by: String, said: Timestamp, at: Span)
    }

    private struct State {
        /// The time at the reading `since`.
        var baseline: Timestamp
        var since: Span
        /// The time of the newest journal entry.
        var floor: Timestamp?
        var evidence = Evidence.none
        /// `true` if an external source may confirm the clock, sooner or later.
        var hasWitnesses = true
        /// The wall clock minus the reading, and the reading since which this offset is unchanged.
        var steady: (offset: Int64, since: Span)

        func expected(at reading: Span) -> Timestamp { baseline.adding(reading.less(since)) }

        mutating func agree(_ wall: Timestamp, _ reading: Span, floor: Timestamp?) {
            (baseline, since) = (wall, reading)
            self.floor = floor
            evidence = .agreed
        }
    }

    private let base: any TillClock
    private let monotonic: @Sendable () -> Span
    private let state: Guarded<State>

    /// Creates a clock that is in doubt until ``compare(floor:proved:hasWitnesses:)``.
    /// - Parameter monotonic: Advances evenly, even while the machine sleeps, and is never set.
    public init(_ base: any TillClock = SystemClock(), monotonic: @escaping @Sendable () -> Span = SystemClock.reading)
    {
        self.base = base
        self.monotonic = monotonic
        let (wall, reading) = (base.now(), monotonic())
        state = Guarded(
            State(
                baseline: wall, since: reading,
                steady: (wall.milliseconds &- reading.milliseconds, reading)))
    }

    public func sleep(for span: Span) async throws { try await base.sleep(for: span) }

    public var standing: ClockStanding { withReading { state, wall, reading in judge(&state, wall, reading) } }

    public func now() -> Timestamp {
        withReading { state, wall, reading in
            switch judge(&state, wall, reading) {
            case .trusted: max(wall, state.floor ?? wall)
            case .unproved: if case .journal(let floor, _, _) = state.evidence { max(wall, floor) } else { wall }
            case .doubted(.notCompared), .doubted(.aheadOfProof): wall
            case .doubted(.behindJournal), .doubted(.jumped), .doubted(.contradicted):
                max(state.expected(at: reading), state.floor ?? state.baseline)
            }
        }
    }

    /// Compares the clock with the journal. Called once, when a counter is opened.
    /// - Parameters:
    ///   - floor: The time of the newest entry; `nil` if there is none.
    ///   - proved: The last time at which the clock was not in doubt; `nil` if none is known.
    ///   - hasWitnesses: `true` if an external source may confirm the clock, and is waited for. Otherwise a clock that
    ///     is consistent with the journal is accepted at once, and one that is ahead after ``takenAfter``, so that a
    ///     counter without a network is not held up forever.
    public func compare(floor: Timestamp?, proved: Timestamp?, hasWitnesses: Bool) {
        withReading { state, wall, reading in
            state.hasWitnesses = hasWitnesses
            guard case .none = state.evidence else { return }
            guard let known = floor ?? proved else { return state.agree(wall, reading, floor: nil) }
            state.evidence = .journal(floor: known, proved: proved ?? known, at: reading)
            guard known.since(wall) > WitnessedClock.tolerance else { return }
            (state.baseline, state.since) = (known, reading)
        }
    }

    /// Evaluates the date of an answer received just now.
    /// - Parameter witness: The source of the date, for display.
    public func witness(_ date: Timestamp, from witness: String) {
        withReading { state, wall, reading in
            _ = judge(&state, wall, reading)
            guard wall.since(date).magnitude > WitnessedClock.tolerance else {
                return state.agree(wall, reading, floor: nil)
            }
            switch state.evidence {
            case .agreed, .contradicted: break
            case .none, .journal:
                // The clock had no confirmation of its own: the provider's time takes precedence.
                (state.baseline, state.since) = (date, reading)
                state.floor = nil
            }
            state.evidence = .contradicted(by: witness, said: date, at: reading)
        }
    }

    /// Confirms, on an operator's statement, that the machine's clock is right as it is.
    public func confirm() {
        withReading { state, wall, reading in state.agree(wall, reading, floor: nil) }
    }

    private func judge(_ state: inout State, _ wall: Timestamp, _ reading: Span) -> ClockStanding {
        let offset = wall.milliseconds &- reading.milliseconds
        if Span(milliseconds: offset &- state.steady.offset).magnitude > WitnessedClock.tolerance {
            state.steady = (offset, reading)
        }
        let isTaken = !state.hasWitnesses && reading.less(state.steady.since) >= WitnessedClock.takenAfter
        switch state.evidence {
        case .none: return .doubted(.notCompared)
        case .journal(let floor, let proved, let start):
            let elapsed = reading.less(start)
            let behind = floor.adding(elapsed).since(wall)
            guard behind <= WitnessedClock.tolerance else { return .doubted(.behindJournal(by: behind)) }
            let ahead = wall.since(proved.adding(elapsed))
            guard ahead <= WitnessedClock.longestSilence || isTaken else { return .doubted(.aheadOfProof(by: ahead)) }
            // A clock that was off together with the machine fits as well.
            guard !state.hasWitnesses else { return .unproved }
            state.agree(wall, reading, floor: floor)
        case .agreed:
            let drift = wall.since(state.expected(at: reading))
            guard drift.magnitude > WitnessedClock.tolerance else { return .trusted }
            guard isTaken, drift.milliseconds > 0 else { return .doubted(.jumped(by: drift)) }
            state.agree(wall, reading, floor: state.floor)
        case .contradicted(let witness, let said, let start):
            let off = wall.since(said.adding(reading.less(start)))
            guard off.magnitude <= WitnessedClock.tolerance else {
                return .doubted(.contradicted(by: witness, off: off))
            }
            state.agree(wall, reading, floor: nil)
        }
        return .trusted
    }

    private func withReading<Value>(_ body: (inout State, Timestamp, Span) -> Value) -> Value {
        state.withLock { state in body(&state, base.now(), monotonic()) }
    }
}

extension Span {
    fileprivate func less(_ other: Span) -> Span { Span(milliseconds: milliseconds &- other.milliseconds) }
    /// The span's length, regardless of direction.
    fileprivate var magnitude: Span { Span(milliseconds: milliseconds == .min ? .max : abs(milliseconds)) }
}
