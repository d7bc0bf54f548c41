public import TillCore

/// The service over any driver. An actor with one state, so that two commands never overlap; every wait has a limit on
/// the injected clock; every command has an identity, and a late result of an older one changes nothing but is passed
/// to the reconciler.
///
/// ```swift
/// let driver = try SimulatedCardReaderDriver(card: SimulatedCard(parsing: "visa"))
/// let readers = StandardCardReaderService(driver: driver)
/// try await readers.start(NoCardReaderConfig())
/// for await found in readers.discoveredReaders {
///     guard let first = found.first else { continue }
///     try await readers.connect(first)
///     break
/// }
/// ```
///
/// It keeps no journal: ``PreConfirmation`` is the shop's durable write, and a payment of unknown outcome stays unknown
/// here until its own intent shows otherwise.
public actor StandardCardReaderService: CardReaderService {
    let driver: any CardReaderDriver
    let clock: any TillClock
    let limits: CardReaderServiceLimits
    let executor: PreferredExecutor
    let reconcile: CardReaderReconciler

    var phase = ServicePhase.idle {
        didSet { publishPhase() }
    }
    /// The account that everything is bound to, from ``start(_:discoveryMethod:)`` to ``clear()``.
    var binding: GuardedConfiguration?
    /// The readers of one discovery by serial number: the readers that may be connected.
    var cache: [String: CardReader] = [:]
    var payments: IntentLedger
    /// Refunds of unknown outcome, by charge.
    var openRefunds: [ProviderReference: IdempotencyKey] = [:]
    /// Abandoned commands from which the driver has not returned.
    var strays: Set<CardReaderAttemptID> = []
    var cardIsInserted = false
    var cardWaiters: [UInt64: Reply<Bool>] = [:]
    private var lastNumber: UInt64 = 0
    var updateIsCancelable = true
    /// The last request for a discovery.
    var latestStart: CardReaderAttemptID?
    private var isObserving = false

    let discovered = Broadcast<[CardReader]>([])
    let connectedList = Broadcast<[CardReader]>([])
    let discoveryState = Broadcast<CardReaderServiceDiscoveryStatus>(.idle)
    let events = Broadcast<CardReaderEvent>()
    let updates = Broadcast<CardReaderSoftwareUpdateState>(CardReaderSoftwareUpdateState.none)
    let reconnections = Broadcast<CardReaderReconnectionState>(.idle)
    let stateValues = Broadcast<CardReaderServiceState>(.idle)
    let statusValues = Broadcast<CardReaderServiceStatus>(.ready)
    let paymentValues = Broadcast<CardReaderPaymentStatus>(.notReady)

    /// Creates an idle service.
    /// - Parameters:
    ///   - driver: a vendor's readers. It serves this service only.
    ///   - clock: the clock of every limit.
    ///   - reconcile: receives results that arrive after their command was abandoned.
    public init(
        driver: any CardReaderDriver, clock: any TillClock = SystemClock(),
        limits: CardReaderServiceLimits = CardReaderServiceLimits(),
        reconcile: @escaping CardReaderReconciler = { _ in }
    ) {
        self.init(
            driver: driver, clock: clock, limits: limits, preferring: PreferredExecutor(), reconcile: reconcile)
    }

    /// Creates an idle service whose own tasks run on an executor, for a simulation.
    /// - Parameter executor: `nil` is the system's choice.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public init(
        driver: any CardReaderDriver, clock: any TillClock = SystemClock(),
        limits: CardReaderServiceLimits = CardReaderServiceLimits(), executor: (any TaskExecutor)?,
        reconcile: @escaping CardReaderReconciler = { _ in }
    ) {
        self.init(
            driver: driver, clock: clock, limits: limits, preferring: PreferredExecutor(executor),
            reconcile: reconcile)
    }

    private init(
        driver: any CardReaderDriver, clock: any TillClock, limits: CardReaderServiceLimits,
        preferring executor: PreferredExecutor, reconcile: @escaping CardReaderReconciler
    ) {
        self.driver = driver
        self.clock = clock
        self.limits = limits
        self.executor = executor
        self.reconcile = reconcile
        payments = IntentLedger(limit: limits.rememberedOrders)
    }

    deinit {
        discovered.finish()
        connectedList.finish()
        discoveryState.finish()
        events.finish()
        updates.finish()
        reconnections.finish()
        stateValues.finish()
        statusValues.finish()
        paymentValues.finish()
    }

    /// Readers found so far.
    public nonisolated var discoveredReaders: BroadcastValues<[CardReader]> { discovered.values }
    public nonisolated var connectedReaders: BroadcastValues<[CardReader]> { connectedList.values }
    /// The state of the discovery of readers.
    public nonisolated var discoveryStatus: BroadcastValues<CardReaderServiceDiscoveryStatus> { discoveryState.values }
    /// The events that the connected reader reports.
    public nonisolated var readerEvents: BroadcastValues<CardReaderEvent> { events.values }
    /// The progress of the reader's update.
    public nonisolated var softwareUpdateEvents: BroadcastValues<CardReaderSoftwareUpdateState> { updates.values }
    /// The state of the reconnection.
    public nonisolated var reconnectionEvents: BroadcastValues<CardReaderReconnectionState> { reconnections.values }
    /// The state of the service.
    public nonisolated var states: BroadcastValues<CardReaderServiceState> { stateValues.values }
    /// The health of the service.
    public nonisolated var serviceStatus: BroadcastValues<CardReaderServiceStatus> { statusValues.values }
    /// The reader's progress with a payment.
    public nonisolated var paymentStatus: BroadcastValues<CardReaderPaymentStatus> { paymentValues.values }

    private func publishPhase() {
        stateValues.sendIfChanged(phase.state)
        paymentValues.sendIfChanged(phase.paymentStatus)
        connectedList.sendIfChanged(phase.connectedReaders)
    }

    func nextAttempt() -> CardReaderAttemptID {
        lastNumber &+= 1
        return CardReaderAttemptID(number: lastNumber)
    }

    /// Registers this service for the driver's events. Once.
    func observeDriver() async {
        guard !isObserving else { return }
        isObserving = true
        await driver.observe { [weak self] event in await self?.happened(event) }
    }

    // MARK: Calls of the driver

    /// Calls the driver within a limit. While a command runs, canceling it or losing the reader ends the call.
    /// - Parameters:
    ///   - attempt: the command that the call is a part of.
    ///   - blocks: `true` if the reader is unusable until the driver returns from the call.
    ///   - late: called with the driver's result if it arrives after the service continued.
    func call<Value: Sendable>(
        _ limit: Span, for attempt: CardReaderAttemptID, blocks: Bool = false,
        late: @escaping @Sendable (isolated StandardCardReaderService, Result<Value, CardReaderFailure>) async -> Void =
            { _, _ in },
        _ body: @escaping @Sendable () async throws(CardReaderFailure) -> Value
    ) async -> DriverOutcome<Value> {
        let call = startCall(limit, for: attempt, late: late, body)
        change(attempt) { operation in
            operation.interrupt = { failure in call.interrupt(failure.map { .failed($0) } ?? .givenUp) }
        }
        defer { change(attempt) { $0.interrupt = nil } }
        return await finish(call, attempt, blocks: blocks)
    }

    func startCall<Value: Sendable>(
        _ limit: Span, for attempt: CardReaderAttemptID,
        late: @escaping @Sendable (isolated StandardCardReaderService, Result<Value, CardReaderFailure>) async -> Void,
        _ body: @escaping @Sendable () async throws(CardReaderFailure) -> Value
    ) -> DriverCall<Value> {
        DriverCall(limit: limit, clock: clock, executor: executor, body) { [weak self] result in
            await self?.cameLate(attempt, result, late)
        }
    }

    func finish<Value: Sendable>(
        _ call: DriverCall<Value>, _ attempt: CardReaderAttemptID, blocks: @autoclosure () -> Bool
    ) async -> DriverOutcome<Value> {
        let (outcome, isStray) = await call.outcome()
        if isStray, blocks() {
            strays.insert(attempt)
            let why: UnderlyingError = .commandTimedOut
            statusValues.send(.fault(CardReaderServiceError(.connection, why)))
        }
        return outcome
    }

    private func cameLate<Value: Sendable>(
        _ attempt: CardReaderAttemptID, _ result: Result<Value, CardReaderFailure>,
        _ late: @Sendable (isolated StandardCardReaderService, Result<Value, CardReaderFailure>) async -> Void
    ) async {
        forgetStray(attempt)
        await late(self, result)
    }

    func forgetStray(_ attempt: CardReaderAttemptID) {
        strays.remove(attempt)
        if strays.isEmpty { statusValues.sendIfChanged(.ready) }
    }

    /// Runs something later, on this actor.
    nonisolated func later(_ body: @escaping @Sendable (isolated StandardCardReaderService) async -> Void) {
        executor.task { [weak self] in
            guard let self else { return }
            await body(self)
        }
    }
}
