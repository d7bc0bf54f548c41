import Synchronization

/// The shop's own address, known once it listens.
final class ShopAddress: Sendable {
    private let state = Mutex("")

    var home: String { state.withLock { $0 } }
    func set(_ home: String) { state.withLock { $0 = home } }
}
