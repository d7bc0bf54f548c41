/// The time, and waiting for it. Passed in everywhere, so that a simulation can run a day in a moment.
public protocol TillClock: Sendable {
    func now() -> Timestamp
    /// Waits that long. Throws `CancellationError` when the task is canceled.
    func sleep(for span: Span) async throws
    /// Whether the time may decide what cannot be undone. Asked for right before each such step.
    var standing: ClockStanding { get }
}

extension TillClock {
    /// A clock that is held against nothing is taken as it is.
    public var standing: ClockStanding { .trusted }

    /// Waits that long, in a loop or beside other work.
    /// - Returns: whether the span has passed. `false` when the task was canceled before: a loop ends then, for every
    ///   further wait would end at once.
    @discardableResult
    public func pause(for span: Span) async -> Bool {
        do {
            try await sleep(for: span)
            return true
        } catch { return false }
    }
}
