public import TillCore

/// The driver of a simulated card reader. By default it returns sealed cards, which only the sandbox provider
/// understands; created with `createsIntents: .onDevice` it holds intents of its own, in memory.
///
/// Everything happens because its caller says so, on the injected clock: the next customer's card, and the reader's own
/// battery, updates, connection and faults.
///
/// ```swift
/// let driver = try SimulatedCardReaderDriver(card: SimulatedCard(parsing: "visa+tap"), createsIntents: .onDevice)
/// let readers = StandardCardReaderService(driver: driver)
/// try await driver.present(SimulatedCard(parsing: "declined:insufficient_funds"))  // the next customer's card
/// await driver.drain(to: 15)  // the service reports a low battery
/// await driver.offer(CardReaderSoftwareUpdate(version: "2"))  // and an update
/// await driver.lose(.bluetoothSignalLost, isReconnecting: true)
/// await driver.regain()
/// await driver.fail(.confirm, with: .answerLost)  // the next confirmation happens, and nobody hears of it
/// ```
///
/// An intent whose answer was lost stays at the driver as it is: the service reads it, or confirms it again with the
/// same key and gets the same answer. ``clear()`` and ``disconnect()`` leave intents and refunds alone.
public actor SimulatedCardReaderDriver: CardReaderDriver {
    /// The simulated reader that returns sealed cards.
    public static let device = CardReader(
        serial: "SIMULATED-1", name: SimulatedCardReader.label, softwareVersion: "1",
        battery: CardReaderBattery(percent: 87, isCharging: false), readerType: .simulated, networkStatus: .online)
    /// The simulated reader whose driver holds intents.
    public static let mobileDevice = CardReader(
        serial: "SIMULATED-2", name: "simulated mobile", softwareVersion: "1",
        battery: CardReaderBattery(percent: 87, isCharging: false), readerType: .simulatedMobile,
        networkStatus: .online)

    /// The driver's capabilities.
    public nonisolated let capabilities: CardReaderDriverCapabilities
    let clock: any TillClock
    let pace: Span
    var card: SimulatedCard
    var reader: CardReader
    var connection = Connection.released
    var activity = Activity.idle
    var isCardInserted = false
    var offered: OfferedUpdate?
    var books = SimulatedReaderBooks()
    var faults: [SimulatedReaderCommand: [SimulatedReaderFault]] = [:]
    private var hanging: [Gate] = []
    private var handler: CardReaderDriverEventHandler?

    enum Connection {
        case released, connected
        /// Away; `isReconnecting`: it may return by itself.
        case lost(isReconnecting: Bool)

        var isConnected: Bool {
            if case .connected = self { return true }
            return false
        }
    }

    enum Activity: Equatable {
        case idle
        /// Waiting for a card.
        case reading
        case updating(isCancelable: Bool)
        case calledOff
    }

    struct OfferedUpdate {
        let update: CardReaderSoftwareUpdate
        let isCancelable: Bool
        let failure: UnderlyingError?
    }

    /// Creates a driver of one simulated reader.
    /// - Parameters:
    ///   - createsIntents: `never` for a reader of sealed cards; otherwise the driver holds intents.
    ///   - pace: the time between two events; zero for programs, about 300 ms for people.
    public init(
        card: SimulatedCard, createsIntents: CardReaderDriverCapabilities.IntentCreation = .never,
        clock: any TillClock = SystemClock(), pace: Span = .milliseconds(0)
    ) {
        let isSealed = createsIntents == .never
        self.card = card
        self.clock = clock
        self.pace = pace
        reader = isSealed ? Self.device : Self.mobileDevice
        capabilities = CardReaderDriverCapabilities(
            createsIntents: createsIntents, needsConnectionToken: false, refunds: !isSealed, reconnects: true)
    }

    // MARK: Finding and connecting

    /// Sets the handler of events.
    public func observe(_ handler: @escaping CardReaderDriverEventHandler) async { self.handler = handler }

    public func discover(
        _ request: CardReaderDiscoveryRequest, found: @escaping @Sendable ([CardReader]) async -> Void
    ) async throws(CardReaderFailure) {
        try await run(.discover) { () async throws(CardReaderFailure) -> Void in
            do { _ = try await request.configuration.connectionToken() } catch {
                throw error as? CardReaderFailure ?? CardReaderFailure(.connectionTokenFailed)
            }
            await found([reader])
        }
    }

    /// Ends a discovery that does not return; no other one lasts.
    public func cancelDiscovery() async throws(CardReaderFailure) { release() }

    /// Connects the reader. An update whose date has come, or that the card's text asks for, is installed meanwhile;
    /// any other one is reported.
    public func connect(
        _ reader: CardReader, _ request: CardReaderConnectionRequest
    ) async throws(CardReaderFailure) -> CardReader {
        try await run(.connect) { () async throws(CardReaderFailure) -> CardReader in
            guard reader.serial == self.reader.serial else { throw CardReaderFailure(.readerNotFound) }
            connection = .connected
            await wait(paces: Self.pacesOfConnection)
            guard connection.isConnected else { throw CardReaderFailure(.commandCanceled) }
            do throws(CardReaderFailure) { try await installRequiredUpdate() } catch {
                connection = .released
                throw error
            }
            return self.reader
        }
    }

    /// Releases the simulated reader.
    public func disconnect() async throws(CardReaderFailure) {
        connection = .released
        isCardInserted = false
        if activity != .idle { activity = .calledOff }
        release()
    }

    public func cancelReconnection() async throws(CardReaderFailure) {
        guard case .lost(isReconnecting: true) = connection else {
            throw CardReaderFailure(.cancelFailedAlreadyCompleted)
        }
        connection = .released
    }

    /// Releases commands that do not return.
    public func clear() async { release() }

    /// Shows a cart, or nothing, on the reader.
    public func display(_ cart: ReaderCart?) async throws(CardReaderFailure) {}

    // MARK: Faults and events

    /// Runs a command with its next fault, if there is one.
    func run<Value: Sendable>(
        _ command: SimulatedReaderCommand, _ body: () async throws(CardReaderFailure) -> Value
    ) async throws(CardReaderFailure) -> Value {
        switch nextFault(of: command) {
        case nil: return try await body()
        case .fails(let reason): throw CardReaderFailure(reason)
        case .answerLost:
            _ = try await body()
            throw CardReaderFailure(.requestTimedOut)
        case .neverReturns:
            let gate = Gate()
            hanging.append(gate)
            await gate.wait()
            throw CardReaderFailure(.commandCanceled)
        }
    }

    private func nextFault(of command: SimulatedReaderCommand) -> SimulatedReaderFault? {
        guard let fault = faults[command]?.first else { return nil }
        faults[command]?.removeFirst()
        return fault
    }

    private func release() {
        for gate in hanging { gate.open() }
        hanging = []
    }

    func report(_ event: CardReaderDriverEvent) async { await handler?(event) }

    /// Waits for some paces.
    func wait(paces: Int64 = 1) async {
        if pace.milliseconds > 0 {
            await clock.pause(for: .milliseconds(pace.milliseconds * paces))
        } else {
            await Task.yield()
        }
    }
}
