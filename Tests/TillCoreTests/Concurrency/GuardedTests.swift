import Testing
import TillCore

@Suite("A value under a lock")
struct GuardedTests {
    private struct Refused: Error, Equatable {}

    @Test("one change at a time, from any number of threads")
    func alone() async {
        let count = Guarded(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { count.withLock { $0 += 1 } }
                }
            }
        }
        #expect(count.withLock { $0 } == 80_000)
    }

    @Test("an error comes out with its type, the lock is free again, and what was changed before it stays")
    func thrown() {
        let values = Guarded([1])
        let result: Result<Int, Refused>
        do throws(Refused) {
            let count = try values.withLock { values throws(Refused) -> Int in
                values.append(2)
                guard values.count == 1 else { throw Refused() }
                return values.count
            }
            result = .success(count)
        } catch { result = .failure(error) }
        #expect(result == .failure(Refused()))
        #expect(values.withLock { $0 } == [1, 2])
    }

    @Test("copies of a reference share the value")
    func shared() {
        let first = Guarded("a")
        let second = first
        second.withLock { $0 += "b" }
        #expect(first.withLock { $0 } == "ab")
    }
}

@Suite("The executor of a component's tasks")
struct PreferredExecutorTests {
    /// Keeps what it was given, so that nothing depends on the speed of a thread.
    private final class WaitingExecutor: TaskExecutor {
        let jobs = Guarded<[UnownedJob]>([])

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
        }
    }

    @Test("a preferred one runs them, when it wants to")
    func preferred() throws {
        let executor = WaitingExecutor()
        let ran = Guarded(false)
        PreferredExecutor(executor).task { ran.withLock { $0 = true } }
        let job = try #require(executor.jobs.withLock { $0.first })
        #expect(!ran.withLock { $0 })
        job.runSynchronously(on: executor.asUnownedTaskExecutor())
        #expect(ran.withLock { $0 })
    }

    @Test("without one the system does")
    func none() async {
        let first = PreferredExecutor().task { 7 }
        let second = PreferredExecutor(nil).task { 8 }
        #expect(await first.value == 7)
        #expect(await second.value == 8)
    }
}
