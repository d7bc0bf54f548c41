import Synchronization
import TillCore

/// A clock that goes on when it is told to.
final class MovedClock: TillClock {
    private let moment: Mutex<Timestamp>

    init(_ start: Timestamp = Timestamp(milliseconds: 1_795_000_000_000)) { moment = Mutex(start) }

    func now() -> Timestamp { moment.withLock { $0 } }
    func sleep(for span: Span) async throws {}
    func move(_ span: Span) { moment.withLock { $0 = $0.adding(span) } }
}
