public import TillCore

/// A record of used transactions, so that a token pays only once.
public protocol ReplayStore: Sendable {
    /// Reserves a transaction for an order, before anything is charged.
    ///
    /// Atomic: of any number of callers with one transaction, those with the first order get `true`, all others
    /// `false`. Reserving it again for the same order returns `true`, so that an interrupted request can be repeated.
    /// - Parameter until: the time after which the record may be dropped; later than the signature can be fresh.
    func reserve(_ transaction: WalletTransactionID, for order: String, until: Timestamp) async -> Bool
}

/// An in-memory store for one process. Full of transactions that could still be replayed, it rejects new ones: a
/// rejected payment is better than a double charge.
public final class MemoryReplayStore: ReplayStore {
    /// The default maximum number of transactions kept.
    public static let maximumTransactions = 100_000

    private struct Taken {
        var order: String
        var until: Timestamp
    }

    private let taken = Guarded<[WalletTransactionID: Taken]>([:])
    private let clock: any TillClock
    private let capacity: Int

    /// Creates an empty store.
    /// - Parameter capacity: the maximum number of transactions kept.
    public init(clock: any TillClock, capacity: Int = MemoryReplayStore.maximumTransactions) {
        self.clock = clock
        self.capacity = capacity
    }

    /// Reserves a transaction for an order, atomically within this process; nothing survives its end.
    /// - Returns: `false` also if the store is full of transactions that are still fresh.
    public func reserve(_ transaction: WalletTransactionID, for order: String, until: Timestamp) async -> Bool {
        let now = clock.now()
        return taken.withLock { taken in
            if let earlier = taken[transaction], earlier.until > now { return earlier.order == order }
            if taken.count >= capacity {
                taken = taken.filter { $0.value.until > now }
                guard taken.count < capacity else { return false }
            }
            taken[transaction] = Taken(order: order, until: until)
            return true
        }
    }
}
