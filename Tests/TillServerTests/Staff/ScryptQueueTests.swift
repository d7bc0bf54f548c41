import Dispatch
import Synchronization
import Testing
import TillCore
@testable import TillCounter

@testable import TillServer

@Suite("Waiting for a PIN's check", .timeLimit(.minutes(1)))
struct ScryptQueueTests {
    private static let other = AccountID(rawValue: "other")

    /// A queue at which one derivation is under way until it is released.
    private final class Rush: Sendable {
        let queue: ScryptQueue
        let passed: Passed
        private let gate = DispatchSemaphore(value: 0)
        private let order = Mutex<[AccountID]>([])
        private let isUnderWay = Mutex(false)

        /// Time by the queue's clock.
        final class Passed: Sendable {
            private let start = ContinuousClock.now
            private let time = Mutex(Duration.zero)
            var now: ContinuousClock.Instant { start.advanced(by: time.withLock { $0 }) }
            func add(_ more: Duration) { time.withLock { $0 += more } }
        }

        init() {
            let passed = Passed()
            self.passed = passed
            queue = ScryptQueue { passed.now }
        }

        var ran: [AccountID] { order.withLock { $0 } }
        func release() { gate.signal() }

        /// Begins the first one; it ends with ``release()``.
        func begin() async -> Task<Void, any Error> {
            let task = Task {
                try await self.queue.run(for: .main) {
                    self.isUnderWay.withLock { $0 = true }
                    self.gate.wait()
                }
            }
            while !isUnderWay.withLock({ $0 }) { await Task.yield() }
            return task
        }

        func run(for account: AccountID) async throws(StaffError) {
            try await queue.run(for: account) { self.order.withLock { $0.append(account) } }
        }

        func until(_ count: Int, wait account: AccountID) async {
            while queue.waiting(of: account) < count { await Task.yield() }
        }
    }

    @Test("An account with many that wait delays another account by one, and one too many is refused at once")
    func turns() async throws {
        let rush = Rush()
        let first = await rush.begin()
        try await withThrowingTaskGroup { group in
            for _ in 0..<ScryptQueue.maximumPerAccount { group.addTask { try await rush.run(for: .main) } }
            await rush.until(ScryptQueue.maximumPerAccount, wait: .main)
            await #expect(throws: StaffError.busy) { try await rush.run(for: .main) }
            group.addTask { try await rush.run(for: Self.other) }
            await rush.until(1, wait: Self.other)
            rush.release()
            try await group.waitForAll()
        }
        try await first.value
        let place = try #require(rush.ran.firstIndex(of: Self.other))
        #expect(place <= 1, "\(rush.ran)")
    }

    @Test("Whose turn comes too late is refused, and nothing is derived for it")
    func patience() async throws {
        let rush = Rush()
        let first = await rush.begin()
        let late = Task { try await rush.run(for: Self.other) }
        await rush.until(1, wait: Self.other)
        rush.passed.add(.seconds(ScryptQueue.patience))
        rush.release()
        try await first.value
        await #expect(throws: StaffError.busy) { try await late.value }
        #expect(rush.ran.isEmpty)
        try await rush.run(for: Self.other)
        #expect(rush.ran == [Self.other])
    }
}
