/// The time, and waiting for it. Injected everywhere, so that a simulation can run a day in a moment.
public protocol TillClock: Sendable {
    func now() -> Timestamp
    /// Waits for a span. Throws `CancellationError` when the task is canceled.
    func sleep(for span: Span) async throws
    /// The trust in the time for irreversible decisions. Read right before each such step.
    var standing: ClockStanding { get }
}

extension TillClock {
    /// Trusted; the default for a clock without a reference.
    public var standing: ClockStanding { .trusted }

    /// Waits for a span, in a loop or beside other work.
    /// - Returns: `true` if the span has passed; `false` if the task was canceled before: a loop should end then,
    ///   because every further wait would end at once.
    @discardableResult
    public func pause(for span: Span) async -> Bool {
        do {
            try await sleep(for: span)
            return true
        } catch { return false }
    }
}
