import Foundation
import Synchronization
import TillCore
import TillTestSupport

@testable import TillTapToPay

/// A reader and its driver in a time of their own: a test runs in it on one thread, in an order that its seed gives,
/// and hours take a moment.
final class TapWorld: Sendable {
    let clock = SimulatedClock()
    let executor: TapExecutor
    let driver: ScriptedTapDriver
    let reader: PaymentCardReader
    let late = Log<PaymentCardReadResult>()

    init(
        seed: UInt64? = nil, deadlines: TapToPayDeadlines = TapToPayDeadlines(),
        unsupported: PaymentCardReaderError? = nil
    ) {
        executor = TapExecutor(seed: seed)
        driver = ScriptedTapDriver(clock: clock, executor: executor, unsupported: unsupported)
        let late = late
        reader = PaymentCardReader(
            driver: driver, clock: clock, deadlines: deadlines, executor: executor, late: { late.add($0) })
        let reader = reader
        driver.status.withLock { $0 = { [weak reader] in reader?.status } }
    }

    /// Runs a test in this world until it ends and everybody sleeps for good.
    func run(_ body: @escaping @Sendable (TapWorld) async throws -> Void) throws {
        let result = Mutex<Result<Void, any Error>?>(nil)
        Task(executorPreference: executor) { [self] in
            do {
                try await body(self)
                result.withLock { $0 = .success(()) }
            } catch { result.withLock { $0 = .failure(error) } }
        }
        executor.drain()
        var jumps = 0
        while result.withLock({ $0 == nil }), jumps < 100_000, clock.jump() {
            jumps += 1
            executor.drain()
        }
        let outcome = result.withLock { $0 }
        for _ in 0..<1000 where clock.jump() { executor.drain() }
        guard let outcome else { throw Stuck() }
        try outcome.get()
    }

    struct Stuck: Error {}

    /// Starts something beside the test.
    func start<Success: Sendable>(
        _ work: @escaping @Sendable (TapWorld) async throws -> Success
    ) -> Task<Success, any Error> {
        Task(executorPreference: executor) { [self] in try await work(self) }
    }

    func pass(_ span: Span) async { try? await clock.sleep(for: span) }

    static let token = PaymentCardReader.Token(rawValue: "token-1")
    static let euro = PaymentCardTransactionRequest(amount: 12, currencyCode: "EUR")
}

/// What was told, in its order.
final class Log<Entry: Sendable>: Sendable {
    private let state = Mutex<[Entry]>([])
    var all: [Entry] { state.withLock { $0 } }
    func add(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

/// Runs tasks on the thread that drains it: in the order in which they became ready, or, with a seed, in any order.
final class TapExecutor: TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var random: SeededRandom?
    }
    private let queue: Mutex<Queue>

    init(seed: UInt64? = nil) { queue = Mutex(Queue(random: seed.map { SeededRandom(seed: $0) })) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
    }

    func drain() { while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) } }

    private func next() -> UnownedJob? {
        queue.withLock { queue in
            guard !queue.jobs.isEmpty else { return nil }
            guard let pick = queue.random?.next() else { return queue.jobs.removeFirst() }
            queue.jobs.swapAt(Int(pick % UInt64(queue.jobs.count)), queue.jobs.count - 1)
            return queue.jobs.removeLast()
        }
    }
}
