import Synchronization
import TillCore

/// How many calls to each provider were given up and still run.
final class AbandonedCalls: Sendable {
    private let counts = Mutex<[ProviderName: Int]>([:])

    func begin(_ provider: ProviderName) { counts.withLock { $0[provider, default: 0] += 1 } }

    func end(_ provider: ProviderName) { counts.withLock { $0[provider, default: 1] -= 1 } }

    func count(of provider: ProviderName) -> Int { counts.withLock { $0[provider] ?? 0 } }
}
