public import TillCore

/// The driver of a simulated card reader. Only the sandbox provider understands its sealed data.
///
/// ```swift
/// let driver = try SimulatedCardReaderDriver(card: SimulatedCard(parsing: "visa+tap"))
/// let readers = StandardCardReaderService(driver: driver)
/// try await driver.present(SimulatedCard(parsing: "declined:insufficient_funds"))  // the next customer's card
/// ```
public actor SimulatedCardReaderDriver: CardReaderDriver {
    /// The simulated reader.
    public static let device = CardReader(
        serial: "SIMULATED-1", name: SimulatedCardReader.label, softwareVersion: "1",
        battery: CardReaderBattery(percent: 87, isCharging: false), readerType: .simulated, networkStatus: .online)

    /// The driver's capabilities.
    public nonisolated let capabilities = CardReaderDriverCapabilities(
        createsIntents: .never, needsConnectionToken: false)
    private let clock: any TillClock
    private let pace: Span
    private var card: SimulatedCard
    private var handler: CardReaderDriverEventHandler?
    private var isConnected = false
    private var isCardInserted = false
    private var collection = Collection.idle

    private enum Collection { case idle, running, calledOff }

    /// Creates a driver of one simulated reader.
    /// - Parameter pace: the time between two events; zero for programs, about 300 ms for people.
    public init(card: SimulatedCard, clock: any TillClock = SystemClock(), pace: Span = .milliseconds(0)) {
        self.card = card
        self.clock = clock
        self.pace = pace
    }

    /// Sets the card of the next customer.
    public func present(_ card: SimulatedCard) { self.card = card }

    /// Simulates the removal of the card by the customer.
    public func takeCard() async {
        guard isCardInserted else { return }
        await wait()
        isCardInserted = false
        await tell(.cardRemoved)
    }

    /// Sets the handler of events.
    public func observe(_ handler: @escaping CardReaderDriverEventHandler) async { self.handler = handler }

    public func discover(
        _ request: CardReaderDiscoveryRequest, found: @escaping @Sendable ([CardReader]) async -> Void
    ) async throws(CardReaderFailure) {
        do { _ = try await request.configuration.connectionToken() } catch {
            throw error as? CardReaderFailure ?? CardReaderFailure(.connectionTokenFailed)
        }
        await found([Self.device])
    }

    public func cancelDiscovery() async throws(CardReaderFailure) {}

    public func connect(
        _ reader: CardReader, _ request: CardReaderConnectionRequest
    ) async throws(CardReaderFailure) -> CardReader {
        guard reader.serial == Self.device.serial else { throw CardReaderFailure(.readerNotFound) }
        isConnected = true
        return Self.device
    }

    /// Releases the simulated reader.
    public func disconnect() async throws(CardReaderFailure) {
        isConnected = false
        isCardInserted = false
        if collection == .running { collection = .calledOff }
    }

    public func createIntent(_ request: CardReaderIntentRequest) async throws(CardReaderFailure) -> PaymentIntent {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }

    public func retrieveIntent(
        _ id: ProviderReference, clientSecret: Secret<String>?, account: AccountID
    ) async throws(CardReaderFailure) -> PaymentIntent {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }

    /// Collects a card for an intent.
    public func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }

    /// Takes the payment of an intent.
    public func confirm(
        _ intent: PaymentIntent, _ request: CardReaderConfirmRequest
    ) async throws(CardReaderFailure) -> PaymentIntent {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }

    public func cancelIntent(
        _ intent: PaymentIntent, key: IdempotencyKey
    ) async throws(CardReaderFailure) -> PaymentIntent {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }

    /// Shows a cart, or nothing, on the reader.
    public func display(_ cart: ReaderCart?) async throws(CardReaderFailure) {}

    /// Collects a card, sealed.
    public func collectSealed(
        _ request: CardReaderCollectRequest
    ) async throws(CardReaderFailure) -> CardPresentPayload {
        guard isConnected else { throw CardReaderFailure(.notConnectedToReader) }
        guard collection == .idle else { throw CardReaderFailure(.readerBusy) }
        collection = .running
        defer { collection = .idle }
        try await step(.waitingForInput)
        let card = card
        switch card.behavior {
        case .timeout: throw CardReaderFailure(.cardReadTimedOut)
        case .canceled: throw CardReaderFailure(.commandCanceled)
        case .read, .declined, .removed: break
        }
        isCardInserted = card.entryMode == "contact_emv"
        try await step(.cardInserted, message: isCardInserted ? nil : "Card read.")
        if card.behavior == .removed {
            isCardInserted = false
            await tell(.cardRemoved)
            throw CardReaderFailure(.cardRemoved)
        }
        let currency = request.parameters.amount.currency
        if let only = card.onlyCurrency, currency.code != only {
            await tell(.declined, message: "This card pays in \(only) only.")
            throw CardReaderFailure(
                .currencyNotSupported, message: "A card of \(card.brand) pays in \(only) only, not in \(currency).")
        }
        return CardPresentPayload(
            reader: request.reader.label, sealed: Secret(card.sealedText),
            card: CardSummary(brand: card.brand, lastFour: card.number, entryMode: card.entryMode))
    }

    /// Cancels a collection that waits for a card.
    public func cancelCollect() async throws(CardReaderFailure) {
        guard collection == .running else { throw CardReaderFailure(.cancelFailedAlreadyCompleted) }
        collection = .calledOff
    }

    /// Reports an event, waits one pace, and throws if the collection was canceled meanwhile.
    private func step(_ type: CardReaderEventType, message: String? = nil) async throws(CardReaderFailure) {
        await tell(type, message: message)
        await wait()
        guard collection == .running else {
            isCardInserted = false
            throw CardReaderFailure(.commandCanceled)
        }
    }

    private func tell(_ type: CardReaderEventType, message: String? = nil) async {
        await handler?(.reader(CardReaderEvent(type, message: message)))
    }

    private func wait() async {
        if pace.milliseconds > 0 { await clock.pause(for: pace) } else { await Task.yield() }
    }
}
