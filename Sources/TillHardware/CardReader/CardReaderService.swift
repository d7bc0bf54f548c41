public import TillCore

/// The vendor-independent interface of card readers: discovery, connection, payments, refunds and updates.
///
/// ```swift
/// let parameters = PaymentIntentParameters(
///     amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: "1001"))
/// let payment = try await service.collectPayment(parameters) { intent, order in
///     try await keep(intent, order)  // durable before money can move
/// }
/// print(payment.status, payment.amount)
/// ```
///
/// Every command is one `async` call that throws the case of ``CardReaderServiceError`` that names its interaction.
/// Commands that do not fit the state are refused at once with a reason; none waits indefinitely for another, and all
/// have a limit (``CardReaderServiceLimits``). The sequences support any number of consumers, at any time, and start
/// with the current value.
public protocol CardReaderService: Sendable {
    // MARK: What is known

    /// The readers found by the running or last discovery; the newest value of each.
    var discoveredReaders: BroadcastValues<[CardReader]> { get }
    /// The connected readers: one, or none. Empty after a disconnect of any cause.
    var connectedReaders: BroadcastValues<[CardReader]> { get }
    /// The status of the discovery.
    var discoveryStatus: BroadcastValues<CardReaderServiceDiscoveryStatus> { get }
    /// The events of the connected reader. A new payment starts without the events of the previous one.
    var readerEvents: BroadcastValues<CardReaderEvent> { get }
    /// The progress of software updates on the reader.
    var softwareUpdateEvents: BroadcastValues<CardReaderSoftwareUpdateState> { get }
    /// The state of a reconnection.
    var reconnectionEvents: BroadcastValues<CardReaderReconnectionState> { get }
    /// The service's state.
    var states: BroadcastValues<CardReaderServiceState> { get }
    /// The service's health.
    var serviceStatus: BroadcastValues<CardReaderServiceStatus> { get }
    /// The reader's progress with a payment.
    var paymentStatus: BroadcastValues<CardReaderPaymentStatus> { get }

    // MARK: Finding and connecting

    /// Starts the service and a discovery, and returns as soon as it runs. A running discovery is canceled and awaited
    /// first. Valid in `idle` and `discovering`.
    /// - Parameter configProvider: provides tokens and the location, and names the account that everything is bound to.
    ///   A different account than the last one is refused until ``clear()``.
    func start(
        _ configProvider: any CardReaderConfigProvider, discoveryMethod: CardReaderDiscoveryMethod
    ) async throws(CardReaderServiceError)
    /// Cancels the discovery and returns once it has stopped. Does nothing if none is running.
    func cancelDiscovery() async throws(CardReaderServiceError)
    /// Connects to a reader of the current or last discovery, by its serial number, and returns the reader as
    /// connected. Ends the discovery. Valid in `idle` and `discovering`.
    @discardableResult
    func connect(
        _ reader: CardReader, options: CardReaderConnectionOptions
    ) async throws(CardReaderServiceError) -> CardReader
    /// Releases the reader. A pending card collection is canceled first; during a confirmation it is refused. Valid in
    /// all states but `idle` and `discovering`.
    func disconnect() async throws(CardReaderServiceError)
    /// Discards readers, tokens, payments and the account, so that another account can start the service. Refused while
    /// a reader is connected: call ``disconnect()`` first.
    func clear() async throws(CardReaderServiceError)

    // MARK: Payments

    /// Takes a payment: creates the intent, collects a card, calls `beforeConfirmation`, confirms. The steps are
    /// reported by ``readerEvents``. The result's status indicates whether the money is held or captured.
    ///
    /// One order has one intent: a second payment for an order that is open or paid is refused.
    /// - Parameters:
    ///   - existing: an intent created by the server, for readers that need one.
    ///   - beforeConfirmation: makes the intent's id and the order durable. It is called before money can move; if it
    ///     throws, the payment is not confirmed.
    func collectPayment(
        _ parameters: PaymentIntentParameters, existing: ExistingPaymentIntent?,
        beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent
    /// Retries the last failed payment with its own intent: confirms again if the outcome is unknown, collects again if
    /// the card was declined, returns the intent if it has been paid meanwhile.
    func retryActivePayment(
        beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent
    /// Cancels the payment and returns once the reader is ready. Does nothing if there is none. During a confirmation,
    /// and as long as its outcome is unknown, it is refused with an error that reports this.
    func cancelPayment() async throws(CardReaderServiceError)
    /// Waits for a card at a reader that returns sealed data. Moves no money.
    func collectPaymentMethod(
        _ parameters: PaymentIntentParameters
    ) async throws(CardReaderServiceError) -> CardPresentPayload
    /// Returns when no card is in the reader, or after ``CardReaderServiceLimits/cardRemoval``; `true` if it is out.
    @discardableResult
    func waitForInsertedCardToBeRemoved() async -> Bool

    // MARK: Refunds

    /// Refunds to a card at the reader. A `pending` result is not final.
    func refund(_ parameters: RefundParameters) async throws(CardReaderServiceError) -> CardReaderRefund
    /// Cancels a refund while it waits for the card. Does nothing if none is running.
    func cancelRefund() async throws(CardReaderServiceError)

    // MARK: The reader itself

    /// Installs the available update. Refused below ``CardReaderBattery/updatePercent``, even while the reader is
    /// charging.
    func installUpdate() async throws(CardReaderServiceError)
    /// Cancels an update if that is possible. Does nothing if none is running.
    func cancelUpdate() async throws(CardReaderServiceError)
    /// Cancels a reconnection. Does nothing if none is running.
    func cancelReconnection() async throws(CardReaderServiceError)
    /// Shows a cart on the reader, or with `nil` its default screen.
    func display(_ cart: ReaderCart?) async throws(CardReaderServiceError)
    /// Publishes the outcome of a payment in ``readerEvents``, for readers that return sealed data.
    func show(_ event: CardReaderEvent) async
}

/// Makes an intent and its order durable before money can move. An error stops the payment.
public typealias PreConfirmation = @Sendable (_ intent: PaymentIntent, _ order: OrderID) async throws -> Void

extension CardReaderService {
    /// Starts a discovery of readers of any kind.
    public func start(_ configProvider: any CardReaderConfigProvider) async throws(CardReaderServiceError) {
        try await start(configProvider, discoveryMethod: .any)
    }

    /// Connects with the default options.
    @discardableResult
    public func connect(_ reader: CardReader) async throws(CardReaderServiceError) -> CardReader {
        try await connect(reader, options: CardReaderConnectionOptions())
    }

    /// Takes a payment, creating its intent.
    public func collectPayment(
        _ parameters: PaymentIntentParameters, beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        try await collectPayment(parameters, existing: nil, beforeConfirmation: beforeConfirmation)
    }
}

/// A method of discovering readers.
public enum CardReaderDiscoveryMethod: String, Hashable, Sendable, CaseIterable {
    /// All methods that the driver supports.
    case any
    case bluetoothScan = "bluetooth_scan"
    case usb
    /// Over the network: smart readers.
    case internet
    case tapToPay = "tap_to_pay"
}

/// Options for connecting a reader.
public struct CardReaderConnectionOptions: Hashable, Sendable {
    /// A Boolean value that indicates whether the service reconnects after an unexpected disconnect.
    public var reconnectsAutomatically = true
    /// A Boolean value that indicates whether connecting fails while another device uses the reader, instead of taking
    /// it over.
    public var failsIfInUse = false

    public init() {}
}

/// An intent created by the server, for readers and shops that require it.
public struct ExistingPaymentIntent: Sendable {
    public let id: ProviderReference
    /// The intent's secret, for SDKs that need it.
    public let clientSecret: Secret<String>?

    public init(id: ProviderReference, clientSecret: Secret<String>? = nil) {
        self.id = id
        self.clientSecret = clientSecret
    }
}

/// The cart that a reader shows while items are scanned.
public struct ReaderCart: Hashable, Sendable {
    public struct Line: Hashable, Sendable {
        public let description: String
        public let quantity: Int
        public let amount: Money

        public init(description: String, quantity: Int, amount: Money) {
            self.description = description
            self.quantity = quantity
            self.amount = amount
        }
    }

    /// The maximum number of lines.
    public static let maximumLines = 100
    public let lines: [Line]
    public let tax: Money
    public let total: Money

    /// Creates a cart. - Throws: ``UnderlyingError/invalidRequiredParameter`` for more lines than fit, a quantity below
    /// one, or amounts of different currencies.
    public init(lines: [Line], tax: Money, total: Money) throws(CardReaderFailure) {
        guard lines.count <= ReaderCart.maximumLines else {
            throw CardReaderFailure(
                .invalidRequiredParameter, message: "A reader shows at most \(ReaderCart.maximumLines) lines.")
        }
        guard tax.currency == total.currency,
            lines.allSatisfy({ $0.amount.currency == total.currency && $0.quantity > 0 })
        else {
            throw CardReaderFailure(
                .invalidRequiredParameter, message: "A basket has one currency and quantities of one and more.")
        }
        self.lines = lines
        self.tax = tax
        self.total = total
    }
}
