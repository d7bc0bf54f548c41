import Dispatch
import Synchronization
import TillCore

/// Derivations that wait for the processor: one at a time, off the threads that answer requests, the accounts in turn.
/// Many who sign in at once take no more memory than one, and an account's tries delay another account by one derivation
/// each, however many there are.
final class ScryptQueue: Sendable {
    /// The most derivations of one account that wait; more are refused at once.
    static let maximumPerAccount = 16
    /// How long one waits at most, in seconds; then it is refused unmade, before whoever sent it gives up.
    static let patience = 5

    private struct Job {
        let since: ContinuousClock.Instant
        let run: @Sendable (_ isInTime: Bool) -> Void
    }

    private struct State {
        var waiting: [AccountID: [Job]] = [:]
        /// Accounts with something that waits; the first is next.
        var turns: [AccountID] = []
        var isRunning = false

        mutating func next() -> Job? {
            guard !turns.isEmpty else {
                isRunning = false
                return nil
            }
            let account = turns.removeFirst()
            guard var jobs = waiting.removeValue(forKey: account), !jobs.isEmpty else { return next() }
            let job = jobs.removeFirst()
            if !jobs.isEmpty {
                waiting[account] = jobs
                turns.append(account)
            }
            return job
        }
    }

    private let queue = DispatchQueue(label: "till.scrypt")
    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) { self.now = now }

    /// How many of an account's wait; the one under way is none of them.
    func waiting(of account: AccountID) -> Int { state.withLock { $0.waiting[account]?.count ?? 0 } }

    /// Runs `work` in the account's turn.
    /// - Throws: ``StaffError/busy`` if too many of the account wait, or if its turn came too late.
    func run<Value: Sendable>(
        for account: AccountID, _ work: @escaping @Sendable () -> Value
    ) async throws(StaffError) -> Value {
        let result: Value? = await withCheckedContinuation { continuation in
            let job = Job(since: now()) { isInTime in continuation.resume(returning: isInTime ? work() : nil) }
            let (isTaken, isFirst) = state.withLock { state in
                let waiting = state.waiting[account]?.count ?? 0
                guard waiting < ScryptQueue.maximumPerAccount else { return (false, false) }
                if waiting == 0 { state.turns.append(account) }
                state.waiting[account, default: []].append(job)
                defer { state.isRunning = true }
                return (true, !state.isRunning)
            }
            if !isTaken { continuation.resume(returning: nil) }
            if isFirst { queue.async { self.drain() } }
        }
        guard let result else { throw .busy }
        return result
    }

    private func drain() {
        while let job = state.withLock({ $0.next() }) {
            job.run(now() - job.since < .seconds(ScryptQueue.patience))
        }
    }
}
