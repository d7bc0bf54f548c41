import Synchronization
package import TillCore

/// Slots shared by accounts so that none exhausts them: the counter's own account may take every slot; other accounts
/// together take at most half, and one of them at most a quarter.
package struct AccountShares: Sendable {
    /// The divisor of all slots for an account other than the counter's.
    static let partOfOthers = 4

    package let all: Int
    package let owner: AccountID

    package init(all: Int, owner: AccountID) {
        self.all = all
        self.owner = owner
    }

    /// Returns `true` if an account may take another slot.
    /// - Parameter taken: The slots in use by account; none is below 1.
    package func allow(_ account: AccountID, taken: [AccountID: Int]) -> Bool {
        guard taken.values.reduce(0, +) < all else { return false }
        guard account != owner else { return true }
        let others = taken.filter { $0.key != owner }.values.reduce(0, +)
        return others < all / 2 && taken[account] ?? 0 < max(1, all / AccountShares.partOfOthers)
    }
}

/// Concurrent work of accounts, limited to each account's share of the slots.
package final class AccountPlaces: Sendable {
    private let shares: AccountShares
    private let taken = Mutex<[AccountID: Int]>([:])

    package init(_ shares: AccountShares) { self.shares = shares }

    /// Runs an operation in a slot.
    /// - Throws: `full` if the account has no free slot; then nothing was done.
    package func withPlace<Value: Sendable>(
        of account: AccountID, else full: Problem, _ work: () async throws -> Value
    ) async throws -> Value {
        let isTaken = taken.withLock { taken in
            guard shares.allow(account, taken: taken) else { return false }
            taken[account, default: 0] += 1
            return true
        }
        guard isTaken else { throw full }
        defer {
            taken.withLock { taken in
                let left = (taken[account] ?? 1) - 1
                taken[account] = left > 0 ? left : nil
            }
        }
        return try await work()
    }
}
