import Synchronization
import TillCore
import TillSandbox

@testable import TillStandIns

/// A clock that short sleeps move, and that long ones wait for: whoever looks again and again makes time pass, and a
/// deadline ends only when that time has really passed.
final class PacedClock: TillClock {
    private static let longest = Span.seconds(5)
    private let time = Mutex(Int64(1_795_000_000_000))

    func now() -> Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }

    func advance(by span: Span) { time.withLock { $0 += span.milliseconds } }

    func sleep(for span: Span) async throws {
        try Task.checkCancellation()
        guard span > PacedClock.longest else { return advance(by: span) }
        let end = now().adding(span)
        while now() < end { try await Task.sleep(for: .milliseconds(1)) }
    }
}
