import Synchronization

/// The records of orders that cannot be read. They hide no others, and each is reported once.
final class DamagedLinks: Sendable {
    private let known = Mutex<Set<String>>([])

    /// The maximum number that is remembered; further ones are not reported.
    private static let maximum = 1_000

    /// Returns `true` if it is news.
    func note(_ key: String) -> Bool {
        known.withLock { $0.count < DamagedLinks.maximum && $0.insert(key).inserted }
    }
}
