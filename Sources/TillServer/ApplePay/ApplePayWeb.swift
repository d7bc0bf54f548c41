import Hummingbird
public import TillApplePay
public import TillCheckout
public import TillCore
public import TillJournal
public import TillProvider
import TillStandIns

/// Apple Pay on the web, mounted into a counter: either a shop's own settings with Apple, or the sandbox, in which
/// this machine is Apple.
public struct ApplePayWeb: Sendable {
    let routes: ApplePayRoutes
    private let reminder: Task<Void, Never>?

    /// A shop with Apple itself.
    /// - Parameters:
    ///   - journal: the engine's; it also remembers which transactions were seen.
    ///   - account: whose sales they are: the account that the counter runs for.
    ///   - provider: who is asked for the money.
    ///   - handovers: how that provider takes tokens; Apple Pay is off where none of them is how the
    ///     options hand them over.
    ///   - statsD: where metrics are sent, beside the metrics page.
    ///   - reload: reads the options anew, for certificates that are replaced while the counter runs; asked at most
    ///     every thirty seconds. `nil` from it keeps those in use. The environment stays as it was.
    public init(
        options: ApplePayOptions, checkout: Checkout, journal: any Journal & RecordStore, account: AccountID,
        provider: ProviderName, handovers: Set<WalletHandover>, clock: any TillClock = SystemClock(),
        statsD: StatsD? = nil,
        reload: (@Sendable () -> ApplePayOptions?)? = nil
    ) throws(PaymentTokenError) {
        self.init(
            options: options, trust: try .apple(), sandbox: nil, checkout: checkout, journal: journal,
            account: account, provider: provider, handovers: handovers, clock: clock, statsD: statsD, reload: reload)
    }

    /// The sandbox, with the demo shop. There is no way from its simulator to a shop of production.
    /// - Parameters:
    ///   - account: whose sales they are.
    ///   - provider: the sandbox, or another's stand-in.
    ///   - opening: who opens tokens; a stand-in of a provider checks their form only.
    public static func sandbox(
        checkout: Checkout, journal: any Journal & RecordStore, account: AccountID, provider: ProviderName = .sandbox,
        opening: TokenOpening = .here, clock: any TillClock = SystemClock(), statsD: StatsD? = nil
    ) throws -> ApplePayWeb {
        let sandbox = try ApplePaySandbox(clock: clock)
        let identity = ApplePayDomain.Identity(
            certificate: Array(sandbox.identity.certificate.utf8),
            key: Secret(Array(sandbox.identity.key.reveal().utf8)))
        guard let local = WebDomain(ApplePaySandbox.domain) else { throw SandboxTokenError.notMerchant }
        let domain = ApplePayDomain(
            domain: local, merchant: ApplePaySandbox.merchant, identities: [identity],
            association: Array("till sandbox domain association\n".utf8))
        var options = ApplePayOptions(
            environment: .sandbox, factory: ApplePayPaymentRequestFactory(displayName: "Till Pizza", countryCode: "GB"),
            currency: .gbp, domains: [domain], keys: ProcessingKeyRing([sandbox.key]),
            area: DeliveryArea(
                country: "GB", areas: ["EC4M", "SW1A", "BN1"], parts: ["EC1A": ["1", "4"]]))
        options.opening = opening
        options.script = nil
        options.coupons = [
            "TENOFF": (10, Timestamp(milliseconds: .max)), "OLD": (50, Timestamp(milliseconds: 0)),
        ]
        return ApplePayWeb(
            options: options, trust: try SignerTrust(root: sandbox.apple.rootCertificate), sandbox: sandbox,
            checkout: checkout, journal: journal, account: account, provider: provider, handovers: [options.handover],
            clock: clock, statsD: statsD)
    }

    private init(
        options: ApplePayOptions, trust: SignerTrust, sandbox: ApplePaySandbox?, checkout: Checkout,
        journal: any Journal & RecordStore, account: AccountID, provider: ProviderName, handovers: Set<WalletHandover>,
        clock: any TillClock, statsD: StatsD?,
        reload: (@Sendable () -> ApplePayOptions?)? = nil
    ) {
        let baskets = ApplePayBaskets(journal: journal, owner: account, clock: clock)
        let live = LiveApplePayOptions(options, clock: MeasuringClock(clock), reload: reload)
        let metrics = ApplePayMetrics(statsD: statsD)
        let customers = CustomerAccounts(journal, owner: account)
        let payment = ApplePayCheckout(
            live: live, verifier: PaymentTokenVerifier(trust: trust, environment: options.environment),
            baskets: baskets, customers: customers, replay: JournalReplayStore(store: journal, clock: clock),
            checkout: checkout, account: account, provider: provider, clock: clock, metrics: metrics)
        let sessions = MerchantSessions(clock: clock, budget: options.sessionBudget)
        let events = MerchantTokenEvents(
            log: MerchantTokenLog(journal, clock: clock), sessions: sessions, sandbox: sandbox, metrics: metrics)
        let routes = ApplePayRoutes(
            live: live, baskets: baskets, checkout: payment, sessions: sessions, events: events, customers: customers,
            sandbox: sandbox, metrics: metrics, clock: clock, handovers: handovers)
        self.routes = routes
        reminder =
            metrics.sends
            ? Task {
                while !Task.isCancelled {
                    metrics.send(daysLeft: routes.daysLeft())
                    do { try await clock.sleep(for: ApplePayWeb.reminderInterval) } catch { return }
                }
            } : nil
    }

    /// How often StatsD is sent the days that are left of certificates.
    static let reminderInterval = Span.minutes(1)

    /// The demo shop is there: this is the sandbox.
    public var hasShop: Bool { routes.sandbox != nil }

    /// Opens a basket, so that a page can be given its identifier. It is on the disk when this returns. The same
    /// identifier again replaces it, unless its payment was authorized: then it stays as it is.
    /// - Parameter account: the customer who is signed in; `nil` for a guest, who gets an account with the order.
    /// - Throws: `JournalError` if it cannot be kept, as where another account has a basket of that identifier.
    public func open(_ basket: SheetBasket, account: String? = nil) async throws(JournalError) {
        try await routes.baskets.open(basket, account: account)
    }

    /// The metrics, in the Prometheus text format.
    public func metrics() -> String { routes.metrics.text(daysLeft: routes.daysLeft()) }

    /// Closes the connections to Apple.
    public func shutdown() async {
        reminder?.cancel()
        await routes.sessions.shutdown()
        await routes.sandbox?.stop()
        await routes.metrics.close()
    }
}
