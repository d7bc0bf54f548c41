import Synchronization
import TillCore

/// The number of abandoned provider calls that are still running, by provider.
final class AbandonedCalls: Sendable {
    private let counts = Mutex<[ProviderName: Int]>([:])

    func begin(_ provider: ProviderName) { counts.withLock { $0[provider, default: 0] += 1 } }

    func end(_ provider: ProviderName) { counts.withLock { $0[provider, default: 1] -= 1 } }

    func count(of provider: ProviderName) -> Int { counts.withLock { $0[provider] ?? 0 } }
}
