public import TillBooks
public import TillCore
public import TillHardware

/// How the counter serves HTTP.
public struct ServerOptions: Sendable {
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    public var port = 8080
    /// Who is asked for money when a request names nobody. Cash goes to the drawer whatever this says.
    public var defaultProvider = ProviderName.sandbox
    /// Whether real money moves. In test mode every answer says so.
    public var mode = PaymentMode.test
    /// Accounts by the SHA-256 of their keys, as 64 lower-case hex digits; those in the journal are taken too.
    public var keys: [String: AccountID] = [:]
    /// The account that the counter runs for. Beside `main` it is the one whose keys import statements, since these are
    /// of the whole account at the provider.
    public var account = AccountID.main
    /// Accounts beside ``account`` that may use the counter's readers, taps and printers, and see its metrics.
    public var hardwareAccounts: Set<AccountID> = []
    /// The forms in which providers' statements are taken.
    public var statementForms: [StatementForm] = []
    /// What the shop set for its receipts.
    public var receipts = ReceiptSetup()
    /// What distinguishes the shop's order numbers; `nil`: they are never reused.
    public var orderScope: OrderScope?
    /// Where banks send customers back to, if the counter has an address for customers.
    public var returnURL: ThreeDSecureReturnURL?
    /// The longest body taken, in bytes.
    public var maximumBodyBytes = 1 << 20
    /// How long a connection may be idle between requests.
    public var idleTimeout = Span.seconds(60)
    /// How long the head of a request may take to come.
    public var headTimeout = Span.seconds(10)
    /// How long the body of a request may take to come.
    public var bodyTimeout = Span.seconds(20)
    /// Anybody who reaches the counter may read its metrics.
    public var isMetricsOpen = false
    /// How long a session of the page lasts.
    public var sessions = SessionLimits()
    /// Which PINs are taken.
    public var pins = PINPolicy()
    /// How long a client may leave an answer unread.
    public var unreadTimeout = Span.seconds(20)
    /// Connections of all listeners at once; `nil`: as many as the limit of open files leaves, and at most 4096.
    public var maximumConnections: Int?
    /// Connections of one address.
    public var connectionsPerAddress = 64
    /// Connections of one address of this machine or of a trusted proxy; `nil`: all of its listener.
    public var connectionsPerNearAddress: Int?
    /// Proxies that are trusted about their clients.
    public var trustedProxies: [NetworkRange] = []
    /// A second address, for the public: customers and providers.
    public var publicAddress: ListenAddress?
    /// The certificate of all listeners; `nil`: they speak HTTP.
    public var tls: TLSIdentity?
    /// HTTP is spoken beyond this machine, whatever protects it.
    public var allowsPlainHTTP = false
    /// Streams of events open at once; more are refused.
    public var maximumStreams = 256
    /// How long a request with an unknown key waits for its answer at most, when many such come.
    public var longestGuessDelay = Span.seconds(2)
    /// Settled payments are queried now and then, in case no webhook came.
    public var pollsAfterSale = true
    /// Given the port once requests are taken.
    public var onListening: (@Sendable (Int) -> Void)?
    /// Given the port for the public before that.
    public var onPublicListening: (@Sendable (Int) -> Void)?

    public init() {}

    /// The card reader that the page offers first, by its id.
    public var preferredReader: String?

    /// Whether an account may use the counter's hardware and see its metrics.
    @Sendable func hasHardware(_ account: AccountID) -> Bool {
        account == self.account || hardwareAccounts.contains(account)
    }
}

/// Collects a card at a reader for a payment: the reader's label, the simulated card if one was named, what to show,
/// and where to tell what happens meanwhile.
public typealias CardCollector =
    @Sendable (
        _ reader: String, _ card: String?, _ parameters: PaymentIntentParameters,
        _ tell: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws -> CardPresentPayload

/// The readers of a counter that has none.
public enum SimulatedReaders {
    /// Collects with a `SimulatedCardReader`; a card that was not named is a Visa.
    public static func collector(clock: any TillClock = SystemClock(), pace: Span = .milliseconds(0)) -> CardCollector {
        { label, card, parameters, tell in
            guard label == SimulatedCardReader.label else {
                throw CardReaderServiceError(.connection, .readerNotFound)
            }
            let reader = await SimulatedCardReader.connected(
                card: try SimulatedCard(parsing: card ?? "visa"), clock: clock, pace: pace)
            let events = reader.readerEvents.subscribe()
            let listener = Task { for await event in events { tell(event) } }
            defer { listener.cancel() }
            return try await reader.collectPaymentMethod(parameters)
        }
    }
}
