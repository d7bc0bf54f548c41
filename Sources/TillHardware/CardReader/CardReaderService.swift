public import TillCore

/// The public face of card readers: finding one, connecting it, and taking a payment with it, whoever made it.
///
/// Every command is one `async` call that throws the case of ``CardReaderServiceError`` that names its interaction.
/// Commands that do not fit the state are refused at once with a reason; none waits for another one for ever, and all
/// have a limit (``CardReaderServiceLimits``). The sequences can be read by any number of readers, at any time, and
/// start with the current value.
public protocol CardReaderService: Sendable {
    // MARK: What is known

    /// The readers found by the discovery that runs or that ran last; the newest value of each.
    var discoveredReaders: BroadcastValues<[CardReader]> { get }
    /// The connected readers: one, or none. Empty after a reader went away, also by itself.
    var connectedReaders: BroadcastValues<[CardReader]> { get }
    /// Whether a discovery is running.
    var discoveryStatus: BroadcastValues<CardReaderServiceDiscoveryStatus> { get }
    /// What the connected reader reports. A new payment begins without the events of the last one.
    var readerEvents: BroadcastValues<CardReaderEvent> { get }
    /// What happens with the reader's software.
    var softwareUpdateEvents: BroadcastValues<CardReaderSoftwareUpdateState> { get }
    /// Whether a disconnected reader is being reconnected.
    var reconnectionEvents: BroadcastValues<CardReaderReconnectionState> { get }
    /// Where the service stands.
    var states: BroadcastValues<CardReaderServiceState> { get }
    /// Whether the service can work at all.
    var serviceStatus: BroadcastValues<CardReaderServiceStatus> { get }
    /// How far the reader is with a payment.
    var paymentStatus: BroadcastValues<CardReaderPaymentStatus> { get }

    // MARK: Finding and connecting

    /// Starts the service and a discovery, and returns as soon as it runs. A discovery that runs already is canceled
    /// and awaited first. In `idle` and `discovering`.
    /// - Parameter configProvider: gives tokens and the place, and names the account that everything is bound to.
    ///   Another account than the last one's is refused until ``clear()``.
    func start(
        _ configProvider: any CardReaderConfigProvider, discoveryMethod: CardReaderDiscoveryMethod
    ) async throws(CardReaderServiceError)
    /// Ends the discovery and returns once discovery has stopped. Does nothing if none is running.
    func cancelDiscovery() async throws(CardReaderServiceError)
    /// Connects to a reader of the current or last discovery, by its serial number, and gives it back as it is once
    /// connected. Ends the discovery. In `idle` and `discovering`.
    @discardableResult
    func connect(
        _ reader: CardReader, options: CardReaderConnectionOptions
    ) async throws(CardReaderServiceError) -> CardReader
    /// Releases the reader. A card that is being waited for is canceled first; while money is being asked for it is
    /// refused. In all states but `idle` and `discovering`.
    func disconnect() async throws(CardReaderServiceError)
    /// Forgets readers, tokens, payments and the account, so that another account can start the service. Refused
    /// while a reader is connected: ``disconnect()`` first.
    func clear() async throws(CardReaderServiceError)

    // MARK: Payments

    /// Takes a payment: makes the intent, waits for a card, calls `beforeConfirmation`, asks for the money. The steps
    /// are reported by ``readerEvents``. The result's status says whether the money is held or taken.
    ///
    /// One order has one intent: a second payment for an order that is open or paid is refused.
    /// - Parameters:
    ///   - existing: an intent that the server made, for readers that need one.
    ///   - beforeConfirmation: makes the intent's id and the order durable. It is called before money can move; if it
    ///     throws, no money is asked for.
    func collectPayment(
        _ parameters: PaymentIntentParameters, existing: ExistingPaymentIntent?,
        beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent
    /// Continues the payment that failed last, with its own intent: asks again for the money if that is not known,
    /// collects again if the card was declined, gives the intent back if it was paid meanwhile.
    func retryActivePayment(
        beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent
    /// Cancels the payment and returns once the reader is ready. Does nothing if there is none. While the money is
    /// being asked for, and as long as it is not known whether it moved, it is refused and the error says so.
    func cancelPayment() async throws(CardReaderServiceError)
    /// For readers that hand over sealed data: waits for a card. Moves no money.
    func collectPaymentMethod(
        _ parameters: PaymentIntentParameters
    ) async throws(CardReaderServiceError) -> CardPresentPayload
    /// Returns when no card is in the reader, or after ``CardReaderServiceLimits/cardRemoval``; true if it is out.
    @discardableResult
    func waitForInsertedCardToBeRemoved() async -> Bool

    // MARK: Refunds

    /// Refunds to a card at the reader. A result that is `pending` is not done yet.
    func refund(_ parameters: RefundParameters) async throws(CardReaderServiceError) -> CardReaderRefund
    /// Cancels a refund while it waits for the card. Does nothing if none is running.
    func cancelRefund() async throws(CardReaderServiceError)

    // MARK: The reader itself

    /// Installs the update that is available. Refused below ``CardReaderBattery/updatePercent``, also while the
    /// reader is being charged.
    func installUpdate() async throws(CardReaderServiceError)
    /// Ends an update that can be ended. Does nothing if none is running.
    func cancelUpdate() async throws(CardReaderServiceError)
    /// Cancels a reconnection. Does nothing if none is running.
    func cancelReconnection() async throws(CardReaderServiceError)
    /// Shows a basket on the reader, or with `nil` its default screen.
    func display(_ cart: ReaderCart?) async throws(CardReaderServiceError)
    /// Notifies all who read ``readerEvents`` how the payment ended, for readers that hand over sealed data.
    func show(_ event: CardReaderEvent) async
}

/// Makes an intent and its order durable before money can move. Throwing stops the payment.
public typealias PreConfirmation = @Sendable (_ intent: PaymentIntent, _ order: OrderID) async throws -> Void

extension CardReaderService {
    /// Starts with readers of any kind.
    public func start(_ configProvider: any CardReaderConfigProvider) async throws(CardReaderServiceError) {
        try await start(configProvider, discoveryMethod: .any)
    }

    /// Connects with the default options.
    @discardableResult
    public func connect(_ reader: CardReader) async throws(CardReaderServiceError) -> CardReader {
        try await connect(reader, options: CardReaderConnectionOptions())
    }

    /// Takes a payment whose intent is made on the way.
    public func collectPayment(
        _ parameters: PaymentIntentParameters, beforeConfirmation: @escaping PreConfirmation
    ) async throws(CardReaderServiceError) -> PaymentIntent {
        try await collectPayment(parameters, existing: nil, beforeConfirmation: beforeConfirmation)
    }
}

/// How readers are discovered.
public enum CardReaderDiscoveryMethod: String, Hashable, Sendable, CaseIterable {
    /// In every way that the driver has.
    case any
    case bluetoothScan = "bluetooth_scan"
    case usb
    /// Over the network: smart readers.
    case internet
    case tapToPay = "tap_to_pay"
}

/// How a reader is connected.
public struct CardReaderConnectionOptions: Hashable, Sendable {
    /// Whether the service reaches a reader again that went away by itself.
    public var reconnectsAutomatically = true
    /// Whether connecting is refused while another device uses the reader, instead of taking it over.
    public var failsIfInUse = false

    public init() {}
}

/// An intent that the server made, for readers and shops that need it so.
public struct ExistingPaymentIntent: Sendable {
    public let id: ProviderReference
    /// Its secret, for kits that ask for it.
    public let clientSecret: Secret<String>?

    public init(id: ProviderReference, clientSecret: Secret<String>? = nil) {
        self.id = id
        self.clientSecret = clientSecret
    }
}

/// What a reader shows while goods are scanned.
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

    /// The most lines that are sent.
    public static let maximumLines = 100
    public let lines: [Line]
    public let tax: Money
    public let total: Money

    /// Makes one. - Throws: ``UnderlyingError/invalidRequiredParameter`` for more lines than fit, a quantity below
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
