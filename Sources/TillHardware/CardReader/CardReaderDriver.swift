public import TillCore

/// What a vendor implements under a ``CardReaderService``: the plain commands of its readers. No order, limit or
/// refusal is its concern; the service never runs two commands at the same time, except a `cancel…` beside the
/// command that it ends.
///
/// Rules for every driver:
/// - A command that is canceled by its `cancel…` throws ``UnderlyingError/commandCanceled`` soon after, or ends as
///   if it had not been canceled.
/// - ``confirm(_:_:)`` is safe to call again with the same request and asks for the money once. It throws with
///   ``CardReaderFailure/intent`` set whenever the provider said how the intent stands.
/// - After ``disconnect()`` and ``clear()`` nothing that ran before touches a reader any more, also if it still
///   answers.
/// - It awaits the handler of ``observe(_:)`` and `found` before it goes on, so that what happened first is reported
///   first.
/// - What a command still answers after the service gave it up changes nothing there and is reconciled.
public protocol CardReaderDriver: Sendable {
    /// What the driver can do.
    var capabilities: CardReaderDriverCapabilities { get }
    /// Takes the one handler of what happens without being asked for. Called once, before everything else.
    func observe(_ handler: @escaping CardReaderDriverEventHandler) async

    /// Discovers readers and reports all that it knows whenever that changes; returns when there is nothing more to
    /// find.
    func discover(
        _ request: CardReaderDiscoveryRequest, found: @escaping @Sendable ([CardReader]) async -> Void
    ) async throws(CardReaderFailure)
    func cancelDiscovery() async throws(CardReaderFailure)
    /// Connects a reader that was discovered, and installs what is required meanwhile (reported by events).
    func connect(
        _ reader: CardReader, _ request: CardReaderConnectionRequest
    ) async throws(CardReaderFailure) -> CardReader
    /// Releases the reader, also while it is being connected or reconnected.
    func disconnect() async throws(CardReaderFailure)

    /// Makes the intent; the same key gives the same intent. Moves no money.
    func createIntent(_ request: CardReaderIntentRequest) async throws(CardReaderFailure) -> PaymentIntent
    /// Reads an intent as it is now.
    func retrieveIntent(
        _ id: ProviderReference, clientSecret: Secret<String>?, account: AccountID
    ) async throws(CardReaderFailure) -> PaymentIntent
    /// Waits for a card and ties it to the intent. Moves no money.
    func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent
    /// Waits for a card and hands over its sealed data, for readers of ``CardReaderIntentOrigin/sealedCard``.
    func collectSealed(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> CardPresentPayload
    /// Ends a collection that waits for a card.
    func cancelCollect() async throws(CardReaderFailure)
    /// Asks for the money of an intent that has a card.
    func confirm(_ intent: PaymentIntent, _ request: CardReaderConfirmRequest) async throws(CardReaderFailure)
        -> PaymentIntent
    /// Ends an intent whose money was not asked for. An intent that has money is left alone and given back as it is.
    func cancelIntent(
        _ intent: PaymentIntent, key: IdempotencyKey
    ) async throws(CardReaderFailure) -> PaymentIntent

    /// Waits for the card and refunds it.
    func refund(_ parameters: RefundParameters) async throws(CardReaderFailure) -> CardReaderRefund
    /// Ends a refund that waits for the card.
    func cancelRefund() async throws(CardReaderFailure)

    /// Installs the update that is available; progress is reported by events.
    func installUpdate() async throws(CardReaderFailure)
    func cancelUpdate() async throws(CardReaderFailure)
    /// Gives up on a reader that went away.
    func cancelReconnection() async throws(CardReaderFailure)
    /// Shows a basket, or the default screen.
    func display(_ cart: ReaderCart?) async throws(CardReaderFailure)
    /// Forgets tokens and everything about the account. Nothing is connected when it is called.
    func clear() async
}

/// Is notified of what happens at a reader without being asked for. Returns once the service knows.
public typealias CardReaderDriverEventHandler = @Sendable (CardReaderDriverEvent) async -> Void

/// What a driver can do.
public struct CardReaderDriverCapabilities: Hashable, Sendable {
    /// Where it makes intents.
    public var createsIntents: IntentCreation
    /// Whether readers need a connection token; without one an empty token is fine.
    public var needsConnectionToken: Bool
    /// What its provider takes in one payment.
    public var amountLimits: AmountLimits
    /// Whether it refunds at the reader.
    public var refunds: Bool
    /// Whether it reaches readers again by itself, and reports it by events.
    public var reconnects: Bool
    /// Whether it reports when a card was taken out. One that does not has readers that see to it by themselves.
    public var reportsRemoval: Bool

    /// Where a driver makes intents.
    public enum IntentCreation: String, Hashable, Sendable, CaseIterable {
        /// On the device, with the vendor's kit.
        case onDevice = "on_device"
        /// On the server, with the shop's own key.
        case onServer = "on_server"
        /// Not at all: it hands over sealed cards.
        case never
    }

    public init(
        createsIntents: IntentCreation, needsConnectionToken: Bool, amountLimits: AmountLimits = .none,
        refunds: Bool = false, reconnects: Bool = false, reportsRemoval: Bool = true
    ) {
        self.createsIntents = createsIntents
        self.needsConnectionToken = needsConnectionToken
        self.amountLimits = amountLimits
        self.refunds = refunds
        self.reconnects = reconnects
        self.reportsRemoval = reportsRemoval
    }
}

/// What a driver says without being asked.
public enum CardReaderDriverEvent: Hashable, Sendable {
    /// Something to show; it belongs to the command that runs.
    case reader(CardReaderEvent)
    /// The reader is not the same as before: battery, network, software.
    case changed(CardReader)
    /// The reader disconnected and is not being reconnected.
    case disconnected(CardReaderDisconnectReason)
    /// The reader disconnected and is being reconnected.
    case reconnecting(CardReaderDisconnectReason)
    case reconnected(CardReader)
    /// It did not come back.
    case reconnectFailed
    /// Software is there to be installed.
    case updateAvailable(CardReaderSoftwareUpdate)
    /// An installation began; an incremental one cannot be ended.
    case updateStarted(isCancelable: Bool)
    /// Percent done, 0 to 100.
    case updateProgress(Int)
    /// An installation ended. Also one that is required while connecting.
    case updateEnded
}

/// Which readers to discover, and for which attempt.
public struct CardReaderDiscoveryRequest: Sendable {
    public let attempt: CardReaderAttemptID
    public let method: CardReaderDiscoveryMethod
    /// Gives tokens and the place, within limits.
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
    /// Gives tokens and the place, within limits.
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

/// What to make an intent for.
public struct CardReaderIntentRequest: Sendable {
    public let attempt: CardReaderAttemptID
    public let account: AccountID
    /// How much, and all else. Checked already.
    public let parameters: PaymentIntentParameters
    public let reader: CardReader
    /// What is sent to the provider: always with order, account and reader.
    public let metadata: [String: String]
    /// The same key gives the same intent.
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

/// What to collect a card for.
public struct CardReaderCollectRequest: Sendable {
    /// The attempt. The result is taken only if it is still this one.
    public let attempt: CardReaderAttemptID
    public let account: AccountID
    /// The intent; `nil` for sealed cards.
    public let intent: PaymentIntent?
    /// The intent's secret, if the kit needs it.
    public let clientSecret: Secret<String>?
    /// How much, and all else.
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

/// How to ask for the money.
public struct CardReaderConfirmRequest: Sendable {
    public let attempt: CardReaderAttemptID
    public let account: AccountID
    public let reader: CardReader
    /// The intent's secret, if the kit needs it.
    public let clientSecret: Secret<String>?
    /// The same key asks for the money once.
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

// What a vendor's readers do not have need not be written.
extension CardReaderDriver {
    /// Not possible with these readers.
    public func collectSealed(
        _ request: CardReaderCollectRequest
    ) async throws(CardReaderFailure) -> CardPresentPayload {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }
    /// Not possible with these readers.
    public func refund(_ parameters: RefundParameters) async throws(CardReaderFailure) -> CardReaderRefund {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }
    public func cancelRefund() async throws(CardReaderFailure) {}
    /// Not possible with these readers.
    public func installUpdate() async throws(CardReaderFailure) {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }
    public func cancelUpdate() async throws(CardReaderFailure) {}
    public func cancelReconnection() async throws(CardReaderFailure) {}
    /// Not possible with these readers.
    public func display(_ cart: ReaderCart?) async throws(CardReaderFailure) {
        throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
    }
    public func clear() async {}
}
