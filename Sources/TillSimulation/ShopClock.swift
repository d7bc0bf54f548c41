import Synchronization
import TillCore
import TillTestSupport

/// The clock of the shop's machine: sometimes an hour wrong, in some worlds days.
final class ShopClock: TillClock {
    private let base: SimulatedClock
    private let error = Mutex(Int64(0))

    init(base: SimulatedClock) { self.base = base }

    func now() -> Timestamp { base.now().adding(.milliseconds(error.withLock { $0 })) }
    func sleep(for span: Span) async throws { try await base.sleep(for: span) }
    func isWrong(by span: Span) { error.withLock { $0 = span.milliseconds } }
}
