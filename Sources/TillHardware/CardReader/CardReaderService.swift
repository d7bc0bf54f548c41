public import TillCore

/// The public face of a kind of card reader: finding one, connecting it, and collecting a card with it.
///
/// A service collects; it never asks for money. What it collects goes to the provider as ``TillCore/Tender``, after
/// the attempt is in the journal. Every stream starts with what is known now and ends with the service.
public protocol CardReaderService: Sendable {
    /// The readers found so far, again whenever that changes.
    func discoveredReaders() async -> AsyncStream<[CardReader]>
    /// The connected readers, again whenever that changes; empty after a reader went away.
    func connectedReaders() async -> AsyncStream<[CardReader]>
    /// What the connected reader tells, from now on.
    func readerEvents() async -> AsyncStream<CardReaderEvent>

    /// Starts the service and the discovery of readers.
    func start(_ configProvider: any CardReaderConfigProvider) async throws(CardReaderServiceError)
    /// Ends the discovery. Does nothing if none is running.
    func cancelDiscovery() async throws(CardReaderServiceError)
    /// Connects to a discovered reader and gives it back as it is once connected.
    @discardableResult
    func connect(_ reader: CardReader) async throws(CardReaderServiceError) -> CardReader
    /// Lets the connected reader go.
    func disconnect() async throws(CardReaderServiceError)
    /// Forgets readers and tokens, so that another shop can start the service. Disconnect first.
    func clear() async

    /// Waits for a card and gives back its sealed data. Moves no money. One at a time; cancelling the task, or
    /// ``cancelPayment()``, ends it with `commandCanceled`.
    func collectPaymentMethod(
        _ parameters: PaymentIntentParameters
    ) async throws(CardReaderServiceError) -> CardPresentPayload
    /// Calls off a collection. Does nothing if none is running.
    func cancelPayment() async throws(CardReaderServiceError)
    /// Shows the customer at the reader how the payment ended, or any other event.
    func show(_ event: CardReaderEvent) async
    /// Returns as soon as no card is in the reader.
    func waitForInsertedCardToBeRemoved() async
}
