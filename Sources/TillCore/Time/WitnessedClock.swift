import Synchronization

/// A clock that is held against what others know of the time: the journal's newest entry, a clock that only counts on
/// since the machine started, and the dates in providers' answers.
///
/// - ``now()`` never goes below the newest entry of the journal, unless a provider or a person says that the entry is
///   wrong. A clock that is set while the process runs is not followed: the time continues as it was until a provider
///   or a person confirms the new one.
/// - A provider is believed before the journal, and both before the machine. Who speaks last decides.
/// - A doubt ends by itself when the clock is set right.
///
/// May be used from any number of tasks.
public final class WitnessedClock: TillClock {
    /// How far clocks may be apart without a doubt: dates have whole seconds, answers take a minute at most, and
    /// machines that keep time do so within seconds.
    public static let tolerance = Span.minutes(5)
    /// How far ahead of the last confirmed moment a clock may be when a counter is opened: a night and a morning.
    public static let longestSilence = Span.days(1)
    /// How long a clock that nobody can confirm must run evenly until it is taken.
    public static let takenAfter = Span.days(1)

    private enum Evidence {
        case none
        /// What the journal knows, and the reading when it was asked.
        case journal(floor: Timestamp, proved: Timestamp, at: Span)
        /// The baseline was confirmed.
        case agreed
        /// Who says otherwise, what, and the reading when it was heard.
        case contradicted(by: String, said: Timestamp, at: Span)
    }

    private struct State {
        /// The time that was at the reading `since`.
        var baseline: Timestamp
        var since: Span
        /// What is in the journal already.
        var floor: Timestamp?
        var evidence = Evidence.none
        /// Somebody may confirm the clock, sooner or later.
        var hasWitnesses = true
        /// Wall clock less reading, and the reading since which it is so.
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
    private let state: Mutex<State>

    /// Makes one that is in doubt until ``compare(floor:proved:hasWitnesses:)``.
    /// - Parameter monotonic: counts on evenly, also while the machine sleeps, and is never set.
    public init(_ base: any TillClock = SystemClock(), monotonic: @escaping @Sendable () -> Span = SystemClock.reading)
    {
        self.base = base
        self.monotonic = monotonic
        let (wall, reading) = (base.now(), monotonic())
        state = Mutex(
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

    /// Holds it against what the journal knows. For opening a counter, once.
    /// - Parameters:
    ///   - floor: when the newest entry was written; `nil`: there is none.
    ///   - proved: the last moment at which the clock was not in doubt; `nil`: none is known.
    ///   - hasWitnesses: whether anybody outside may confirm it, and is waited for. Otherwise a clock that fits the
    ///     journal is taken at once, and one that is ahead after ``takenAfter``, so that a counter without a network is
    ///     not held up for ever.
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

    /// Takes in the date of an answer that came just now.
    /// - Parameter witness: who says so, for people.
    public func heard(_ date: Timestamp, from witness: String) {
        withReading { state, wall, reading in
            _ = judge(&state, wall, reading)
            guard wall.since(date).magnitude > WitnessedClock.tolerance else {
                return state.agree(wall, reading, floor: nil)
            }
            switch state.evidence {
            case .agreed, .contradicted: break
            case .none, .journal:
                // The clock had nothing for itself: the provider's time is the better one.
                (state.baseline, state.since) = (date, reading)
                state.floor = nil
            }
            state.evidence = .contradicted(by: witness, said: date, at: reading)
        }
    }

    /// A person says that the machine's clock is right as it is.
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
    /// Its length, whatever its direction.
    fileprivate var magnitude: Span { Span(milliseconds: milliseconds == .min ? .max : abs(milliseconds)) }
}
