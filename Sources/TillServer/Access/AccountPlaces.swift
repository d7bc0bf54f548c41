import Synchronization
import TillCore

/// Places that accounts share, so that none uses up all: the counter's own may have every one; others together half of
/// them, and one of those a quarter.
struct AccountShares: Sendable {
    /// The part of all places that an account other than the counter's may have.
    static let partOfOthers = 4

    let all: Int
    let owner: AccountID

    /// Whether an account may have another place.
    /// - Parameter taken: how many each account has; none is below 1.
    func allow(_ account: AccountID, taken: [AccountID: Int]) -> Bool {
        guard taken.values.reduce(0, +) < all else { return false }
        guard account != owner else { return true }
        let others = taken.filter { $0.key != owner }.values.reduce(0, +)
        return others < all / 2 && taken[account] ?? 0 < max(1, all / AccountShares.partOfOthers)
    }
}

/// Work that accounts do at once, each in its share of the places.
final class AccountPlaces: Sendable {
    private let shares: AccountShares
    private let taken = Mutex<[AccountID: Int]>([:])

    init(_ shares: AccountShares) { self.shares = shares }

    /// Does something in a place.
    /// - Throws: `full` if the account has no place left; then nothing was done.
    func withPlace<Value: Sendable>(
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
