import Synchronization
import TillCore

/// Failures stored under their idempotency keys: a retry with the same key returns the same failure for a day.
final class KeptFailures: Sendable {
    /// The lifetime of a key.
    static let lifetime: Span = .hours(24)
    /// The maximum number of remembered keys.
    static let maximum = 10_000

    private let kept = Mutex<[String: (answer: StripeAnswer, at: Timestamp)]>([:])
    private let clock: any TillClock

    init(clock: any TillClock) { self.clock = clock }

    func keep(_ answer: StripeAnswer, for key: String) {
        let now = clock.now()
        kept.withLock { kept in
            guard kept.count < KeptFailures.maximum else { return }
            kept[key] = (answer, now)
        }
    }

    /// Returns a key's stored failure, marked as a replay; `nil` if it has none.
    func answer(to key: String) -> StripeAnswer? {
        let now = clock.now()
        return kept.withLock { kept in
            guard let (answer, at) = kept[key], now.since(at) < KeptFailures.lifetime else { return nil }
            var again = answer
            again.isReplay = true
            return again
        }
    }
}
