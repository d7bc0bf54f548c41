public import TillCore

/// A simulated card reader behind the same service as a real one. It returns sealed data that the sandbox provider
/// understands.
public final class SimulatedCardReader: CardReaderService {
    /// The label of the simulated reader.
    public static let label = "simulated"

    /// The reader's driver, for all that it can be made to do.
    public let driver: SimulatedCardReaderDriver
    private let service: StandardCardReaderService

    /// Creates a reader that is not started.
    /// - Parameters:
    ///   - createsIntents: `never` for sealed cards; otherwise the driver holds intents.
    ///   - pace: the time between two events; zero for programs, about 300 ms for people.
    public init(
        card: SimulatedCard, createsIntents: CardReaderDriverCapabilities.IntentCreation = .never,
        clock: any TillClock = SystemClock(), pace: Span = .milliseconds(0)
    ) {
        let driver = SimulatedCardReaderDriver(card: card, createsIntents: createsIntents, clock: clock, pace: pace)
        self.driver = driver
        service = StandardCardReaderService(driver: driver, clock: clock)
        // The customer takes the card when asked to. Ends with the service.
        let events = service.readerEvents.subscribe()
        Task {
            for await event in events where event.type == .removeCard { await driver.takeCard() }
        }
    }

    /// Creates a reader that is started and connected.
    public static func connected(
        card: SimulatedCard, clock: any TillClock = SystemClock(), pace: Span = .milliseconds(0)
    ) async -> SimulatedCardReader {
        let reader = SimulatedCardReader(card: card, clock: clock, pace: pace)
        await reader.wake()
        return reader
    }

    /// Starts and connects the reader, and lets happen what the card's text says of the time before the sale: an
    /// update, a lost connection. A reader that does not connect stays unconnected, and the next command reports that.
    public func wake() async {
        do throws(CardReaderServiceError) {
            try await start(NoCardReaderConfig())
            for await found in discoveredReaders {
                guard let device = found.first else { continue }
                try await connect(device)
                break
            }
        } catch { return }
        await driver.beforeSale()
    }

    /// Wakes the reader, collects a card for a payment and waits until it is taken out.
    /// - Parameter tell: receives every event in order, the last one before this returns or throws.
    public func collect(
        _ parameters: PaymentIntentParameters, tell: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws(CardReaderServiceError) -> CardPresentPayload {
        let events = readerEvents.subscribe()
        let listener = Task {
            for await event in events {
                if event.type == SimulatedCardReader.endOfSale { return }
                tell(event)
            }
        }
        let result: Result<CardPresentPayload, CardReaderServiceError>
        do throws(CardReaderServiceError) {
            await wake()
            let payload = try await collectPaymentMethod(parameters)
            await waitForInsertedCardToBeRemoved()
            result = .success(payload)
        } catch { result = .failure(error) }
        await show(CardReaderEvent(SimulatedCardReader.endOfSale))
        await listener.value
        return try result.get()
    }

    /// Marks the end of a sale among its events; told to nobody.
    private static let endOfSale = CardReaderEventType(rawValue: "end_of_sale")

    /// Sets the card of the next customer.
    public func present(_ card: SimulatedCard) async { await driver.present(card) }

    /// Readers found so far.
    public var discoveredReaders: BroadcastValues<[CardReader]> { service.discoveredReaders }
    public var connectedReaders: BroadcastValues<[CardReader]> { service.connectedReaders }
    /// The state of the discovery of readers.
    public var discoveryStatus: BroadcastValues<CardReaderServiceDiscoveryStatus> { service.discoveryStatus }
    /// The events that the connected reader reports.
    public var readerEvents: BroadcastValues<CardReaderEvent> { service.readerEvents }
    /// The progress of the reader's update.
    public var softwareUpdateEvents: BroadcastValues<CardReaderSoftwareUpdateState> { service.softwareUpdateEvents }
    /// The state of the reconnection.
    public var reconnectionEvents: BroadcastValues<CardReaderReconnectionState> { service.reconnectionEvents }
    /// The state of the service.
    public var states: BroadcastValues<CardReaderServiceState> { service.states }
    /// The health of the service.
    public var serviceStatus: BroadcastValues<CardReaderServiceStatus> { service.serviceStatus }
    /// The reader's progress with a payment.
    public var paymentStatus: BroadcastValues<CardReaderPaymentStatus> { service.paymentStatus }

    public func start(
        _ configProvider: any CardReaderConfigProvider, discoveryMethod: CardReaderDiscoveryMethod
    ) async throws(CardReaderServiceError) {
        try await service.start(configProvider, discoveryMethod: discoveryMethod)
    }

    public func cancelDiscovery() async throws(CardReaderServiceError) { try await service.cancelDiscovery() }

    @discardableResult
    public func connect(
        _ reader: CardReader, options: CardReaderConnectionOptions
    ) async throws(CardReaderServiceError) -> CardReader {
        try await service.connect(reader, options: options)
    }

    /// Releases the reader, as the service does.
    public func disconnect() async throws(CardReaderServiceError) { try await service.disconnect() }
    /// Clears the service.
    public func clear() async throws(CardReaderServiceError) { try await service.clear() }

    /// Collects a card and takes the payment.
    public func collectPayment(
        _ parameters: PaymentIntentParameters, existing: ExistingPaymentIntent?,
        beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        try await service.collectPayment(parameters, existing: existing, beforeConfirmation: beforeConfirmation)
    }

    /// Retries the open payment.
    public func retryActivePayment(
        beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        try await service.retryActivePayment(beforeConfirmation: beforeConfirmation)
    }

    /// Cancels the payment, as the service does.
    public func cancelPayment() async throws(CardReaderServiceError) { try await service.cancelPayment() }

    /// Collects a card for a payment.
    public func collectPaymentMethod(
        _ parameters: PaymentIntentParameters
    ) async throws(CardReaderServiceError) -> CardPresentPayload {
        try await service.collectPaymentMethod(parameters)
    }

    /// Returns when no card is in the reader.
    @discardableResult
    public func waitForInsertedCardToBeRemoved() async -> Bool { await service.waitForInsertedCardToBeRemoved() }

    /// Refunds a charge at the reader.
    public func refund(_ parameters: RefundParameters) async throws(CardReaderServiceError) -> CardReaderRefund {
        try await service.refund(parameters)
    }

    /// Cancels a refund while it waits for the card.
    public func cancelRefund() async throws(CardReaderServiceError) { try await service.cancelRefund() }
    /// Installs the update that the reader offers.
    public func installUpdate() async throws(CardReaderServiceError) { try await service.installUpdate() }
    /// Cancels an update that can still be canceled.
    public func cancelUpdate() async throws(CardReaderServiceError) { try await service.cancelUpdate() }
    /// Cancels the reconnection, as the service does.
    public func cancelReconnection() async throws(CardReaderServiceError) { try await service.cancelReconnection() }
    /// Shows a cart, or nothing, on the reader.
    public func display(_ cart: ReaderCart?) async throws(CardReaderServiceError) { try await service.display(cart) }
    /// Publishes an event.
    public func show(_ event: CardReaderEvent) async { await service.show(event) }
}
