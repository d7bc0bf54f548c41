import Synchronization

/// A ledger in memory. Lost with the process; fast enough for millions of simulated payments.
public final class SandboxMemoryStore: SandboxStore {
    private let shelf = MemoryShelf()
    private let turn = Mutex<Void>(())

    public init() {}

    /// Runs a change of the ledger atomically.
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any SandboxShelf) throws -> Result
    ) async throws -> Result {
        try turn.withLock { _ in try body(shelf) }
    }
}

/// The dictionaries of ``SandboxMemoryStore``. The rules write one charge at the end of a transaction, so that a
/// throwing body has written nothing.
private final class MemoryShelf: SandboxShelf, Sendable {
    private struct Contents {
        var charges: [String: SandboxCharge] = [:]
        var order: [String] = []
        var keys: [String: String] = [:]
        var attempts: [String: [String]] = [:]
    }
    private let shelf = Mutex(Contents())

    func charge(_ reference: String) -> SandboxCharge? { shelf.withLock { $0.charges[reference] } }

    func charge(forKey key: String) -> SandboxCharge? {
        shelf.withLock { shelf in shelf.keys[key].flatMap { shelf.charges[$0] } }
    }

    func charges(forAttempt attempt: String) -> [SandboxCharge] {
        shelf.withLock { shelf in (shelf.attempts[attempt] ?? []).compactMap { shelf.charges[$0] } }
    }

    func allCharges() -> [SandboxCharge] {
        shelf.withLock { shelf in shelf.order.compactMap { shelf.charges[$0] } }
    }

    func put(_ charge: SandboxCharge, keys: [String]) {
        shelf.withLock { shelf in
            if shelf.charges.updateValue(charge, forKey: charge.reference) == nil {
                shelf.order.append(charge.reference)
                if let attempt = charge.attempt { shelf.attempts[attempt, default: []].append(charge.reference) }
            }
            for key in keys { shelf.keys[key] = charge.reference }
        }
    }
}
