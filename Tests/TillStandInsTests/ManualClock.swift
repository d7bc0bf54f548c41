import Synchronization
import TillCore

/// A clock that only moves when told, or by sleeping.
final class ManualClock: TillClock {
    private let time = Mutex(Int64(1_795_000_000_000))
    func now() -> Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }
    func advance(by span: Span) { time.withLock { $0 += span.milliseconds } }
    func sleep(for span: Span) async throws {
        try Task.checkCancellation()
        advance(by: span)
    }
}
