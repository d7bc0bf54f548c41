public import TillCore

/// A card reader that does not exist, with the events and errors of one that does. Its sealed data is understood by
/// the sandbox provider only.
public actor SimulatedCardReader {
    /// The label of the one reader that it finds.
    public static let label = "simulated"

    private let device = CardReader(
        serial: "SIMULATED-1", name: SimulatedCardReader.label, softwareVersion: "1",
        battery: CardReaderBattery(percent: 87), readerType: .simulated)
    private let clock: any TillClock
    private let pace: Span
    private var card: SimulatedCard
    private var isStarted = false
    private var isConnected = false
    private var isCardInserted = false
    private var collection: Collection = .idle
    private let discovered = Broadcast<[CardReader]>([])
    private let connected = Broadcast<[CardReader]>([])
    private let events = Broadcast<CardReaderEvent>()

    private enum Collection { case idle, running, calledOff }

    /// Makes one that is not started.
    /// - Parameter pace: time between two events; zero for programs, about 300 ms for people.
    public init(card: SimulatedCard, clock: any TillClock = SystemClock(), pace: Span = .milliseconds(0)) {
        self.card = card
        self.clock = clock
        self.pace = pace
    }

    /// Makes one that is started and connected.
    public static func connected(
        card: SimulatedCard, clock: any TillClock = SystemClock(), pace: Span = .milliseconds(0)
    ) async -> SimulatedCardReader {
        let reader = SimulatedCardReader(card: card, clock: clock, pace: pace)
        await reader.plugIn()
        return reader
    }

    private func plugIn() { (isStarted, isConnected) = (true, true) }

    /// The card that the next customer has.
    public func present(_ card: SimulatedCard) { self.card = card }

    public nonisolated var discoveredReaders: BroadcastValues<[CardReader]> { discovered.values }
    public nonisolated var connectedReaders: BroadcastValues<[CardReader]> { connected.values }
    public nonisolated var readerEvents: BroadcastValues<CardReaderEvent> { events.values }

    public func start(_ configProvider: any CardReaderConfigProvider) async throws(CardReaderServiceError) {
        do {
            _ = try await configProvider.connectionToken()
        } catch {
            throw CardReaderServiceError(.discovery, .internalServiceError, raw: "no connection token")
        }
        isStarted = true
        discovered.send([device])
    }

    public func cancelDiscovery() async throws(CardReaderServiceError) {}

    @discardableResult
    public func connect(_ reader: CardReader) async throws(CardReaderServiceError) -> CardReader {
        guard isStarted, reader.serial == device.serial else {
            throw CardReaderServiceError(.connection, .readerNotFound)
        }
        isConnected = true
        connected.send([device])
        return device
    }

    public func disconnect() async throws(CardReaderServiceError) {
        guard isConnected else { throw CardReaderServiceError(.disconnection, .notConnectedToReader) }
        isConnected = false
        if collection == .running { collection = .calledOff }
        connected.send([])
    }

    public func clear() async {
        isStarted = false
        discovered.send([])
    }

    public func collectPaymentMethod(
        _ parameters: PaymentIntentParameters
    ) async throws(CardReaderServiceError) -> CardPresentPayload {
        guard isConnected else { throw CardReaderServiceError(.intentCreation, .notConnectedToReader) }
        guard collection == .idle else { throw CardReaderServiceError(.intentCreation, .readerBusy) }
        guard parameters.amount.isPositive else { throw CardReaderServiceError(.intentCreation, .invalidAmount) }
        collection = .running
        defer { collection = .idle }
        try await tell(.waitingForInput)
        let card = card
        switch card.behavior {
        case .timeout:
            throw CardReaderServiceError(.paymentMethod, .cardReadTimedOut)
        case .canceled:
            events.send(CardReaderEvent(.canceled))
            throw CardReaderServiceError(.paymentMethod, .commandCanceled)
        case .read, .declined, .removed:
            break
        }
        isCardInserted = card.entryMode == "contact_emv"
        try await tell(.cardInserted, message: isCardInserted ? nil : "Card read.")
        if card.behavior == .removed {
            isCardInserted = false
            events.send(CardReaderEvent(.cardRemoved))
            throw CardReaderServiceError(.paymentMethod, .cardRemoved)
        }
        if let only = card.onlyCurrency, parameters.amount.currency.code != only {
            events.send(CardReaderEvent(.declined, message: "This card pays in \(only) only."))
            throw CardReaderServiceError(
                .paymentMethod, .currencyNotSupported, raw: "\(card.brand) pays in \(only) only")
        }
        try await tell(.cardDetailsCollected)
        try await tell(.processing)
        return CardPresentPayload(
            reader: device.label, sealed: Secret(card.sealedText),
            card: CardSummary(brand: card.brand, lastFour: card.number, entryMode: card.entryMode))
    }

    public func cancelPayment() async throws(CardReaderServiceError) {
        if collection == .running { collection = .calledOff }
    }

    public func show(_ event: CardReaderEvent) async { events.send(event) }

    public func waitForInsertedCardToBeRemoved() async {
        guard isCardInserted else { return }
        events.send(CardReaderEvent(.removeCard))
        if pace.milliseconds > 0 { try? await clock.sleep(for: pace) }
        isCardInserted = false
        events.send(CardReaderEvent(.cardRemoved))
    }

    /// Sends an event, waits one pace, and looks whether somebody called the collection off.
    private func tell(_ type: CardReaderEventType, message: String? = nil) async throws(CardReaderServiceError) {
        events.send(CardReaderEvent(type, message: message))
        if pace.milliseconds > 0 { try? await clock.sleep(for: pace) } else { await Task.yield() }
        guard collection == .running, !Task.isCancelled else {
            isCardInserted = false
            events.send(CardReaderEvent(.canceled))
            throw CardReaderServiceError(.paymentMethod, .commandCanceled)
        }
    }
}
