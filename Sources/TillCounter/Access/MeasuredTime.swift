public import TillCore
package import TillJournal

/// A moment by two clocks: the counter's time, and a monotonic clock that counts from the machine's start and is never
/// set.
package struct MeasuredMoment: Hashable, Sendable {
    /// The counter's time, which can be adjusted.
    package var at: Timestamp
    /// The time since the machine started.
    package var reading: Span

    package init(at: Timestamp, reading: Span) {
        self.at = at
        self.reading = reading
    }

    /// Returns the age, the longer by the two clocks, so that setting the time back makes nothing younger. The
    /// monotonic age never overstates: its clock restarts with the machine.
    package func age(at now: MeasuredMoment) -> Span { max(now.at.since(at), runningAge(at: now), .milliseconds(0)) }

    /// Returns the age by the monotonic clock alone; negative after a restart of the machine.
    package func runningAge(at now: MeasuredMoment) -> Span {
        let (difference, overflow) = now.reading.milliseconds.subtractingReportingOverflow(reading.milliseconds)
        return Span(milliseconds: overflow ? .max : difference)
    }
}

/// The two clocks by which start codes and sessions expire.
public struct MeasuringClock: Sendable {
    private let clock: any TillClock
    private let reading: @Sendable () -> Span

    /// - Parameter reading: A monotonic clock that counts from the machine's start, including sleep, and is never set.
    public init(_ clock: any TillClock, reading: @escaping @Sendable () -> Span = SystemClock.reading) {
        self.clock = clock
        self.reading = reading
    }

    /// Returns the current moment by both clocks, read one after the other.
    package func now() -> MeasuredMoment { MeasuredMoment(at: clock.now(), reading: reading()) }

    /// `true` if there is evidence against the counter's time; nothing is removed because of it then.
    package var isInDoubt: Bool { clock.standing.doubt != nil }
}

extension JSONWriter {
    /// Writes a moment in the format of this folder's records.
    package mutating func moment(_ name: String, _ moment: MeasuredMoment) {
        field("\(name)_at", moment.at.milliseconds)
        field("\(name)_reading", moment.reading.milliseconds)
    }
}

extension MeasuredMoment {
    /// Reads the stored form.
    package init(_ body: RecordBody, _ name: String) throws(JournalError) {
        at = Timestamp(milliseconds: try body.int("\(name)_at"))
        reading = Span(milliseconds: try body.int("\(name)_reading"))
    }
}
