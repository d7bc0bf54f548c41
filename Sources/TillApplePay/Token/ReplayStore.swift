import Synchronization
public import TillCore

/// Remembers which transactions were seen, so that a token pays once.
public protocol ReplayStore: Sendable {
    /// Takes a transaction for an order, before anything is charged.
    ///
    /// Atomic: of any number of callers with one transaction, those with the first order get `true`, all others
    /// `false`. Taking it again for the same order is `true`, so that an interrupted request can be repeated.
    /// - Parameter until: when it may be forgotten; later than the signature can still be fresh.
    func reserve(_ transaction: WalletTransactionID, for order: String, until: Timestamp) async -> Bool
}

/// A store in memory, for one process. When it is full of transactions that can still be repeated, it refuses new ones:
/// better a refused payment than one taken twice.
public final class MemoryReplayStore: ReplayStore {
    /// How many transactions are kept at most.
    public static let maximumTransactions = 100_000

    private struct Taken {
        var order: String
        var until: Timestamp
    }

    private let taken = Mutex<[WalletTransactionID: Taken]>([:])
    private let clock: any TillClock
    private let capacity: Int

    /// A store that has seen no transaction yet.
    /// - Parameter capacity: how many transactions are kept at most.
    public init(clock: any TillClock, capacity: Int = MemoryReplayStore.maximumTransactions) {
        self.clock = clock
        self.capacity = capacity
    }

    /// Reserves a transaction for an order, atomically within this process; nothing survives its end.
    /// - Returns: `false` also when the store is full of transactions that are still fresh.
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
