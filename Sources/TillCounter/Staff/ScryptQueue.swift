import Dispatch
import Synchronization
package import TillCore

/// A queue of key derivations: one at a time, off the request threads, round-robin between accounts. Concurrent
/// sign-ins take no more memory than one, and an account delays another by at most one derivation in each round,
/// whatever its own backlog.
package final class ScryptQueue: Sendable {
    /// The maximum number of queued derivations of an account; more are refused immediately.
    static let maximumPerAccount = 16
    /// The maximum wait, in seconds. A job that waited longer is refused without running, before its client times out.
    package static let patience = 5

    private struct Job {
        let since: ContinuousClock.Instant
        let run: @Sendable (_ isInTime: Bool) -> Void
    }

    private struct State {
        var waiting: [AccountID: [Job]] = [:]
        /// The accounts with queued jobs, next first.
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

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) { self.now = now }

    /// Returns the number of queued jobs of an account, without the one that is running.
    package func waiting(of account: AccountID) -> Int { state.withLock { $0.waiting[account]?.count ?? 0 } }

    /// Runs `work` in the account's turn.
    /// - Throws: ``StaffError/busy`` if the account has too many queued jobs, or if the wait exceeded ``patience``.
    package func run<Value: Sendable>(
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
