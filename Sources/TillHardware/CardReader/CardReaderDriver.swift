public import TillCore

/// The vendor-specific layer under a ``CardReaderService``: the plain commands of its readers. Ordering, limits and
/// refusals are the service's concern; the service never runs two commands at the same time, except a `cancel…` beside
/// the command that it ends.
///
/// Rules for every driver:
/// - A command that is canceled by its `cancel…` throws ``UnderlyingError/commandCanceled`` soon after, or ends as if
///   it had not been canceled.
/// - ``confirm(_:_:)`` is safe to call again with the same request and requests the payment once. It throws with
///   ``CardReaderFailure/intent`` set whenever the provider reported the state of the intent.
/// - After ``disconnect()`` and ``clear()`` no earlier command touches a reader any more, even if it still answers.
/// - It awaits the handler of ``observe(_:)`` and `found` before it continues, so that events are reported in order.
/// - A result that a command returns after the service has abandoned it changes nothing there and is reconciled.
public protocol CardReaderDriver: Sendable {
    /// The driver's capabilities.
    var capabilities: CardReaderDriverCapabilities { get }
    /// Registers the single handler of unsolicited events. Called once, before everything else.
    func observe(_ handler: @escaping CardReaderDriverEventHandler) async

    /// Discovers readers and reports the full list whenever it changes; returns when there is nothing more to find.
    func discover(
        _ request: CardReaderDiscoveryRequest, found: @escaping @Sendable ([CardReader]) async -> Void
    ) async throws(CardReaderFailure)
    func cancelDiscovery() async throws(CardReaderFailure)
    /// Connects a discovered reader and installs required updates meanwhile (reported by events).
    func connect(
        _ reader: CardReader, _ request: CardReaderConnectionRequest
    ) async throws(CardReaderFailure) -> CardReader
    /// Releases the reader, also while it is connecting or reconnecting.
    func disconnect() async throws(CardReaderFailure)

    /// Creates the intent; the same key returns the same intent. Moves no money.
    func createIntent(_ request: CardReaderIntentRequest) async throws(CardReaderFailure) -> PaymentIntent
    /// Retrieves the current state of an intent.
    func retrieveIntent(
        _ id: ProviderReference, clientSecret: Secret<String>?, account: AccountID
    ) async throws(CardReaderFailure) -> PaymentIntent
    /// Waits for a card and attaches it to the intent. Moves no money.
    func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent
    /// Waits for a card and returns its sealed data, for readers of ``CardReaderIntentOrigin/sealedCard``.
    func collectSealed(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> CardPresentPayload
    /// Ends a collection that waits for a card.
    func cancelCollect() async throws(CardReaderFailure)
    /// Confirms an intent that has a card attached.
    func confirm(_ intent: PaymentIntent, _ request: CardReaderConfirmRequest) async throws(CardReaderFailure)
        -> PaymentIntent
    /// Cancels an unconfirmed intent. An intent that holds money is left unchanged and returned as it is.
    func cancelIntent(
        _ intent: PaymentIntent, key: IdempotencyKey
    ) async throws(CardReaderFailure) -> PaymentIntent

    /// Waits for the card and refunds it.
    func refund(_ parameters: RefundParameters) async throws(CardReaderFailure) -> CardReaderRefund
    /// Ends a refund that waits for the card.
    func cancelRefund() async throws(CardReaderFailure)

    /// Installs the available update; progress is reported by events.
    func installUpdate() async throws(CardReaderFailure)
    func cancelUpdate() async throws(CardReaderFailure)
    /// Stops reconnecting to a lost reader.
    func cancelReconnection() async throws(CardReaderFailure)
    /// Shows a cart, or with `nil` the default screen.
    func display(_ cart: ReaderCart?) async throws(CardReaderFailure)
    /// Discards tokens and everything about the account. Called only while nothing is connected.
    func clear() async
}

/// Handles unsolicited reader events. Returns once the service has processed the event.
public typealias CardReaderDriverEventHandler = @Sendable (CardReaderDriverEvent) async -> Void

/// The capabilities of a driver.
public struct CardReaderDriverCapabilities: Hashable, Sendable {
    /// The place where intents are created.
    public var createsIntents: IntentCreation
    /// `true` if readers need a connection token; otherwise an empty token is fine.
    public var needsConnectionToken: Bool
    /// The provider's limits for a single payment.
    public var amountLimits: AmountLimits
    /// `true` if it supports refunds at the reader.
    public var refunds: Bool
    /// `true` if it reconnects readers by itself, reporting by events.
    public var reconnects: Bool
    /// `true` if it reports card removal; otherwise its readers handle removal themselves.
    public var reportsRemoval: Bool
    /// `true` if the card is presented during the confirmation, as at a reader that another machine drives: the driver
    /// reports the card and the processing itself.
    public var collectsInConfirmation: Bool

    /// The place where a driver creates intents.
    public enum IntentCreation: String, Hashable, Sendable, CaseIterable {
        /// On the device, with the vendor's SDK.
        case onDevice = "on_device"
        /// On the server, with the shop's own key.
        case onServer = "on_server"
        /// None: the driver returns sealed cards.
        case never
    }

    public init(
        createsIntents: IntentCreation, needsConnectionToken: Bool, amountLimits: AmountLimits = .none,
        refunds: Bool = false, reconnects: Bool = false, reportsRemoval: Bool = true,
        collectsInConfirmation: Bool = false
    ) {
        self.createsIntents = createsIntents
        self.needsConnectionToken = needsConnectionToken
        self.amountLimits = amountLimits
        self.refunds = refunds
        self.reconnects = reconnects
        self.reportsRemoval = reportsRemoval
        self.collectsInConfirmation = collectsInConfirmation
    }
}

/// An unsolicited event of a driver.
public enum CardReaderDriverEvent: Hashable, Sendable {
    /// A reader event to display; it belongs to the running command.
    case reader(CardReaderEvent)
    /// The reader changed: battery, network, software.
    case changed(CardReader)
    /// The reader disconnected and is not being reconnected.
    case disconnected(CardReaderDisconnectReason)
    /// The reader disconnected and is being reconnected.
    case reconnecting(CardReaderDisconnectReason)
    case reconnected(CardReader)
    /// The reconnection failed.
    case reconnectFailed
    /// An update is available.
    case updateAvailable(CardReaderSoftwareUpdate)
    /// An installation began; an incremental one cannot be canceled.
    case updateStarted(isCancelable: Bool)
    /// Percent done, 0 to 100.
    case updateProgress(Int)
    /// An installation ended, including one that is required while connecting.
    case updateEnded
}

/// The readers to discover, and the attempt that the discovery belongs to.
public struct CardReaderDiscoveryRequest: Sendable {
    public let attempt: CardReaderAttemptID
    public let method: CardReaderDiscoveryMethod
    /// Provides tokens and the location, within limits.
    public let configuration: any CardReaderConfigProvider

    public init(
        attempt: CardReaderAttemptID, method: CardReaderDiscoveryMethod, configuration: any CardReaderConfigProvider
    ) {
        self.attempt = attempt
        self.method = method
        self.configuration = configuration
    }
}

public struct CardReaderConnectionRequest: Sendable {
    public let attempt: CardReaderAttemptID
    public let options: CardReaderConnectionOptions
    /// Provides tokens and the location, within limits.
    public let configuration: any CardReaderConfigProvider

    public init(
        attempt: CardReaderAttemptID, options: CardReaderConnectionOptions,
        configuration: any CardReaderConfigProvider
    ) {
        self.attempt = attempt
        self.options = options
        self.configuration = configuration
    }
}

/// The parameters of a new intent.
public struct CardReaderIntentRequest: Sendable {
    public let attempt: CardReaderAttemptID
    public let account: AccountID
    /// The amount and all other parameters. Already validated.
    public let parameters: PaymentIntentParameters
    public let reader: CardReader
    /// The metadata for the provider: always includes order, account and reader.
    public let metadata: [String: String]
    /// The idempotency key: the same key returns the same intent.
    public let key: IdempotencyKey

    public init(
        attempt: CardReaderAttemptID, account: AccountID, parameters: PaymentIntentParameters, reader: CardReader,
        metadata: [String: String], key: IdempotencyKey
    ) {
        self.attempt = attempt
        self.account = account
        self.parameters = parameters
        self.reader = reader
        self.metadata = metadata
        self.key = key
    }
}

/// The parameters of a card collection.
public struct CardReaderCollectRequest: Sendable {
    /// The attempt. The result is accepted only if it is still the current one.
    public let attempt: CardReaderAttemptID
    public let account: AccountID
    /// The intent; `nil` for sealed cards.
    public let intent: PaymentIntent?
    /// The intent's secret, if the SDK needs it.
    public let clientSecret: Secret<String>?
    /// The amount and all other parameters.
    public let parameters: PaymentIntentParameters
    public let reader: CardReader

    public init(
        attempt: CardReaderAttemptID, account: AccountID, intent: PaymentIntent?, clientSecret: Secret<String>?,
        parameters: PaymentIntentParameters, reader: CardReader
    ) {
        self.attempt = attempt
        self.account = account
        self.intent = intent
        self.clientSecret = clientSecret
        self.parameters = parameters
        self.reader = reader
    }
}

/// The parameters of a confirmation.
public struct CardReaderConfirmRequest: Sendable {
    public let attempt: CardReaderAttemptID
    public let account: AccountID
    public let reader: CardReader
    /// The intent's secret, if the SDK needs it.
    public let clientSecret: Secret<String>?
    /// The idempotency key: the same key requests the payment once.
    public let key: IdempotencyKey

    public init(
        attempt: CardReaderAttemptID, account: AccountID, reader: CardReader, clientSecret: Secret<String>?,
        key: IdempotencyKey
    ) {
        self.attempt = attempt
        self.account = account
        self.reader = reader
        self.clientSecret = clientSecret
        self.key = key
    }
}

// Defaults for features that a vendor's readers do not have.
extension CardReaderDriver {
    /// Not supported by these readers.
    public func collectSealed(
        _ request: CardReaderCollectRequest
    ) async throws(CardReaderFailure) -> CardPresentPayload {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }
    /// Not supported by these readers.
    public func refund(_ parameters: RefundParameters) async throws(CardReaderFailure) -> CardReaderRefund {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }
    public func cancelRefund() async throws(CardReaderFailure) {}
    /// Not supported by these readers.
    public func installUpdate() async throws(CardReaderFailure) {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }
    public func cancelUpdate() async throws(CardReaderFailure) {}
    public func cancelReconnection() async throws(CardReaderFailure) {}
    /// Not supported by these readers.
    public func display(_ cart: ReaderCart?) async throws(CardReaderFailure) {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }
    public func clear() async {}
}
