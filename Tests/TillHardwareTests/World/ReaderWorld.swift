import Synchronization
import TillCore
import TillTestSupport

@testable import TillHardware

/// A service, its driver and its shop in a time of their own: a test runs in it from beginning to end on one thread,
/// in the same order every time, and hours take a moment.
final class ReaderWorld: Sendable {
    let clock = SimulatedClock()
    let executor: any DrainableExecutor
    let driver: ScriptedDriver
    let service: StandardCardReaderService
    /// What the shop wrote down before money was asked for.
    let written: Written
    let late: Late

    final class Written: Sendable {
        private let state = Mutex<[(ProviderReference, OrderID)]>([])
        var all: [(ProviderReference, OrderID)] { state.withLock { $0 } }
        func add(_ intent: PaymentIntent, _ order: OrderID) { state.withLock { $0.append((intent.id, order)) } }
    }

    final class Late: Sendable {
        private let state = Mutex<[CardReaderLateResult]>([])
        var all: [CardReaderLateResult] { state.withLock { $0 } }
        func add(_ result: CardReaderLateResult) { state.withLock { $0.append(result) } }
    }

    init(
        seed: UInt64? = nil, limits: CardReaderServiceLimits = CardReaderServiceLimits(),
        capabilities: CardReaderDriverCapabilities? = nil
    ) {
        let executor: any DrainableExecutor = seed.map { SeededExecutor(seed: $0) } ?? SimulatedExecutor()
        self.executor = executor
        written = Written()
        let late = Late()
        self.late = late
        if let capabilities {
            driver = ScriptedDriver(clock: clock, executor: executor, capabilities: capabilities)
        } else {
            driver = ScriptedDriver(clock: clock, executor: executor)
        }
        service = StandardCardReaderService(
            driver: driver, clock: clock, limits: limits, executor: executor, reconcile: { late.add($0) })
    }

    /// Runs a test in this world until it ends.
    func run(_ body: @escaping @Sendable (ReaderWorld) async throws -> Void) throws {
        try runInTime(of: clock, on: executor, release: { self.driver.release() }) { try await body(self) }
    }

    /// Starts something beside the test.
    @discardableResult
    func start<Value: Sendable>(_ body: @escaping @Sendable (ReaderWorld) async throws -> Value) -> Task<
        Value, any Error
    > {
        Task(executorPreference: executor) { [self] in try await body(self) }
    }

    var now: Timestamp { clock.now() }

    /// Lets time pass.
    func pass(_ span: Span) async { try? await clock.sleep(for: span) }

    // MARK: Steps

    static let shop = AccountID(rawValue: "acct_shop")
    static let other = AccountID(rawValue: "acct_other")

    func parameters(
        _ minorUnits: Int64 = 1250, _ currency: Currency = .eur, order: String = "1001"
    ) -> PaymentIntentParameters {
        PaymentIntentParameters(
            amount: Money(minorUnits: minorUnits, currency: currency), order: OrderID(rawValue: order))
    }

    func config(_ account: AccountID = ReaderWorld.shop) -> ScriptedConfig { ScriptedConfig(account: account) }

    func connect(account: AccountID = ReaderWorld.shop, serial: String = "M2-1") async throws {
        try await service.start(config(account))
        for await readers in service.discoveredReaders {
            if let reader = readers.first(where: { $0.serial == serial }) {
                try await service.connect(reader)
                return
            }
        }
    }

    var hook: PreConfirmation { { [written] intent, order in written.add(intent, order) } }

    func pay(_ parameters: PaymentIntentParameters? = nil) async throws(CardReaderServiceError) -> PaymentIntent {
        try await service.collectPayment(parameters ?? self.parameters(), beforeConfirmation: hook)
    }

    var state: String { service.states.current?.name ?? "none" }

    /// Waits until the driver is at a point.
    func reaches(_ point: ScriptedDriver.Point) async {
        while !driver.isRunning(point) { await pass(.milliseconds(10)) }
    }

    func reaches(state name: String) async {
        for await state in service.states where state.name == name { return }
    }
}

struct ItHangs: Error {}

/// Runs a test in simulated time until it ends. What hangs after the last moment is an error of the test.
/// - Parameter release: lets go what the test left hanging.
func runInTime(
    of clock: SimulatedClock, on executor: any DrainableExecutor, release: () -> Void = {},
    _ body: @escaping @Sendable () async throws -> Void
) throws {
    let result = Mutex<Result<Void, any Error>?>(nil)
    Task(executorPreference: executor) {
        do {
            try await body()
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
    release()
    executor.drain()
    for _ in 0..<1000 where clock.jump() { executor.drain() }
    guard let outcome else { throw ItHangs() }
    try outcome.get()
}

/// An app's configuration that does what a test says.
final class ScriptedConfig: CardReaderConfigProvider {
    let account: AccountID
    private let state = Mutex<(token: @Sendable () async throws -> String, place: String?, calls: Int)>(
        ({ "tok" }, nil, 0))

    init(account: AccountID, place: String? = nil, token: (@Sendable () async throws -> String)? = nil) {
        self.account = account
        state.withLock { state in
            state.place = place
            if let token { state.token = token }
        }
    }

    var calls: Int { state.withLock { $0.calls } }

    func connectionToken() async throws -> Secret<String> {
        let token = state.withLock { state in
            state.calls += 1
            return state.token
        }
        return Secret("\(account)/\(try await token())".replacing("\(account)/EMPTY", with: ""))
    }

    func locationID() async throws -> String? { state.withLock { $0.place } }
}

/// An executor that a test drives.
protocol DrainableExecutor: TaskExecutor {
    func drain()
}

extension SimulatedExecutor: DrainableExecutor {}

/// Runs what is ready in an order that a seed decides.
final class SeededExecutor: DrainableExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var random: SeededRandom
    }
    private let queue: Mutex<Queue>

    init(seed: UInt64) { queue = Mutex(Queue(random: SeededRandom(seed: seed))) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
    }

    func drain() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        queue.withLock { queue in
            guard !queue.jobs.isEmpty else { return nil }
            let index = Int(queue.random.next() % UInt64(queue.jobs.count))
            queue.jobs.swapAt(index, queue.jobs.count - 1)
            return queue.jobs.removeLast()
        }
    }
}
