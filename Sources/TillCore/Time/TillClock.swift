/// The time, and waiting for it. Passed in everywhere, so that a simulation can run a day in a moment.
public protocol TillClock: Sendable {
    func now() -> Timestamp
    /// Waits that long. Throws `CancellationError` when the task is cancelled.
    func sleep(for span: Span) async throws
}
