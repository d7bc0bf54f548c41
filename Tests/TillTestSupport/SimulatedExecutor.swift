import Synchronization

/// Runs tasks one after the other on the thread that calls ``drain()``, in the order in which they became ready: the
/// same program runs in the same order every time.
public final class SimulatedExecutor: TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var head = 0
    }
    private let queue = Mutex(Queue())

    /// An idle one.
    public init() {}

    /// Takes a job, to be run when the world says so.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
    }

    /// Runs what is ready, and what that makes ready, until nothing is.
    public func drain() { drain(limit: .max) }

    /// The same, for so many jobs at most.
    public func drain(limit: Int) {
        var count = 0
        while count < limit, let job = next() {
            job.runSynchronously(on: asUnownedTaskExecutor())
            count += 1
        }
    }

    private func next() -> UnownedJob? {
        queue.withLock { queue in
            guard queue.head < queue.jobs.count else {
                queue = Queue()
                return nil
            }
            queue.head += 1
            return queue.jobs[queue.head - 1]
        }
    }
}
