import TillBooks
public import TillStatements
public import TillCore
public import TillCounter
public import TillHardware
package import TillProvider

/// The configuration of the HTTP server.
public struct ServerOptions: Sendable {
    /// The address to listen on.
    public var host = ListenAddress.standard.host
    /// The port; 0 for any free port.
    public var port = ListenAddress.standard.port
    /// The default provider. Cash always goes to the drawer.
    public var defaultProvider = ProviderName.sandbox
    /// The mode: live moves real money. In test mode every response says so.
    public var mode = PaymentMode.test
    /// Accounts by the SHA-256 of their keys, as 64 lower-case hex digits; keys in the journal are accepted too.
    public var keys: [String: AccountID] = [:]
    /// The counter's account. Only its keys import statements, since a statement covers the whole account at the
    /// provider.
    public var account = AccountID.main
    /// Further accounts that may use the counter's readers, taps and printers, and see its metrics.
    public var hardwareAccounts: Set<AccountID> = []
    /// `true` if shops in the counter's own network, and on its machine, may be connected over HTTP.
    public var connectsPrivateShops = false
    /// The providers that the counter knows, configured or not, in display order.
    package var knownProviders: [any ProviderModule.Type] = []
    /// The accepted formats of provider statements.
    public var statementForms: [StatementForm] = []
    /// The receipt settings.
    public var receipts = ReceiptSetup()
    /// The scope of the shop's order numbers; `nil` if they are never reused.
    public var orderScope: OrderScope?
    /// The largest difference of a cash drawer, in minor units, that needs no reason at an opening or a close.
    public var dayDifferenceLimit = CounterOptions.usualDayDifference
    /// The retention of customers' contacts on orders and of guests' accounts; `nil` keeps contacts of the order book,
    /// and the others for the usual time.
    public var contactRetention: Span?
    /// The 3-D Secure return URLs, if the counter has a public address.
    public var returnURL: ThreeDSecureReturnURL?
    /// The maximum body size in bytes.
    public var maximumBodyBytes = 1 << 20
    /// The idle timeout of a connection between requests.
    public var idleTimeout = Span.seconds(60)
    /// The timeout for a request head.
    public var headTimeout = Span.seconds(10)
    /// The timeout for a request body.
    public var bodyTimeout = Span.seconds(20)
    /// `true` if metrics require no authentication.
    public var isMetricsOpen = false
    /// The lifetimes of page sessions.
    public var sessions = SessionLimits()
    /// The policy for PINs.
    public var pins = PINPolicy()
    /// The timeout for a client that does not read its response.
    public var unreadTimeout = Span.seconds(20)
    /// The maximum number of connections of all listeners; `nil` for as many as the open-file limit allows, at most
    /// 4096.
    public var maximumConnections: Int?
    /// The maximum number of connections of one client address.
    public var connectionsPerAddress = 64
    /// The maximum number of connections of one loopback or trusted proxy address; `nil` for the listener's maximum.
    public var connectionsPerNearAddress: Int?
    /// The proxies with trusted forwarding headers.
    public var trustedProxies: [NetworkRange] = []
    /// The address of a second listener, for the public: customers and providers.
    public var publicAddress: ListenAddress?
    /// The certificate of all listeners; `nil` for plain HTTP.
    public var tls: TLSIdentity?
    /// `true` to permit plain HTTP beyond this machine without protection.
    public var allowsPlainHTTP = false
    /// The maximum number of open event streams; more are refused.
    public var maximumStreams = 256
    /// The maximum delay of requests with an unknown key when many arrive.
    public var longestGuessDelay = Span.seconds(2)
    /// `true` to query settled payments periodically, in case a webhook was missed.
    public var pollsAfterSale = true
    /// Called with the port once requests are accepted.
    public var onListening: (@Sendable (Int) -> Void)?
    /// Called with the public listener's port before that.
    public var onPublicListening: (@Sendable (Int) -> Void)?

    public init() {}

    /// The ID of the page's default card reader, unless another was chosen beside the journal.
    public var preferredReader: String?

    /// Returns `true` if an account may use the counter's hardware and see its metrics.
    @Sendable package func hasHardware(_ account: AccountID) -> Bool {
        account == self.account || hardwareAccounts.contains(account)
    }

    /// Returns `true` if an account may have shops in the counter's own network whose addresses were named over HTTP.
    @Sendable package func reachesPrivateShops(_ account: AccountID) -> Bool {
        connectsPrivateShops && hasHardware(account)
    }
}

/// Collects a card at a reader for a payment: the reader's label, the simulated card if one is named, the display
/// content, and the receiver of events.
public typealias CardCollector =
    @Sendable (
        _ reader: String, _ card: String?, _ parameters: PaymentIntentParameters,
        _ tell: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws -> CardPresentPayload

/// The simulated readers of a counter without readers.
public enum SimulatedReaders {
    /// Returns a collector with a `SimulatedCardReader`; the default card is a Visa.
    public static func collector(clock: any TillClock = SystemClock(), pace: Span = .milliseconds(0)) -> CardCollector {
        { label, card, parameters, tell in
            guard label == SimulatedCardReader.label else {
                throw CardReaderServiceError(.connection, .readerNotFound)
            }
            let reader = SimulatedCardReader(
                card: try SimulatedCard(parsing: card ?? "visa"), clock: clock, pace: pace)
            return try await reader.collect(parameters, tell: tell)
        }
    }
}

extension ServerOptions {
    /// Checks that the listening configuration is protected.
    /// - Parameter addresses: The settings that publish the counter's address beyond this machine, with their values.
    public func checkListening(
        telling addresses: [(setting: String, address: String)]
    ) throws(ListeningError) {
        let listeners = [ListenAddress(host: host, port: port)] + (publicAddress.map { [$0] } ?? [])
        let isProtected = tls != nil || !trustedProxies.isEmpty
        if !isProtected, !allowsPlainHTTP, let open = listeners.first(where: { !$0.isLoopback }) {
            throw .plainHTTP(host: open.host)
        }
        guard !isProtected, publicAddress == nil, !allowsPlainHTTP else { return }
        if let far = addresses.first(where: { !Loopback.isURL($0.address) }) {
            throw .unreachable(setting: far.setting, address: far.address)
        }
    }
}
