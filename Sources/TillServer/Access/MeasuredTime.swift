public import TillCore
import TillJournal

/// A moment by two clocks: the counter's time, and the reading of a clock that counts on since the machine started and
/// is never set.
struct MeasuredMoment: Hashable, Sendable {
    /// By the counter's clock, which people can set.
    var at: Timestamp
    /// How long the machine had been running.
    var reading: Span

    /// How long ago it was: the longer of the two ages, so that a time that was set back makes nothing younger. The
    /// reading never says too much: it begins anew with the machine.
    func age(at now: MeasuredMoment) -> Span { max(now.at.since(at), runningAge(at: now), .milliseconds(0)) }

    /// How long ago it was by the reading alone; below zero after the machine was started anew.
    func runningAge(at now: MeasuredMoment) -> Span {
        let (difference, overflow) = now.reading.milliseconds.subtractingReportingOverflow(reading.milliseconds)
        return Span(milliseconds: overflow ? .max : difference)
    }
}

/// Both clocks by which start codes and sessions end.
public struct MeasuringClock: Sendable {
    private let clock: any TillClock
    private let reading: @Sendable () -> Span

    /// - Parameter reading: counts on evenly since the machine started, also while it sleeps, and is never set.
    public init(_ clock: any TillClock, reading: @escaping @Sendable () -> Span = SystemClock.reading) {
        self.clock = clock
        self.reading = reading
    }

    /// The moment by both clocks, read one after the other.
    func now() -> MeasuredMoment { MeasuredMoment(at: clock.now(), reading: reading()) }

    /// Something speaks against the counter's time, so nothing is removed because of it.
    var isInDoubt: Bool { clock.standing.doubt != nil }
}

extension JSONWriter {
    /// A moment as records of this folder have it.
    mutating func moment(_ name: String, _ moment: MeasuredMoment) {
        field("\(name)_at", moment.at.milliseconds)
        field("\(name)_reading", moment.reading.milliseconds)
    }
}

extension MeasuredMoment {
    /// As it was written.
    init(_ body: RecordBody, _ name: String) throws(JournalError) {
        at = Timestamp(milliseconds: try body.int("\(name)_at"))
        reading = Span(milliseconds: try body.int("\(name)_reading"))
    }
}
