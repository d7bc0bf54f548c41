import Hummingbird
public import TillApplePay
public import TillCheckout
public import TillCore
public import TillCounter
public import TillJournal
public import TillProvider
import TillStandInApple

/// Apple Pay on the web, mounted into a counter: either with a shop's own settings and Apple itself, or the sandbox, in
/// which this machine simulates Apple.
public struct ApplePayWeb: Sendable {
    package let routes: ApplePayRoutes
    private let reminder: Task<Void, Never>?

    /// Sets up a shop with Apple itself, or with a stand-in for a rehearsal.
    /// - Parameters:
    ///   - journal: the engine's journal; it also records the transactions seen.
    ///   - account: the account of the sales, which is the counter's own.
    ///   - provider: the provider that authorizes the payments.
    ///   - handovers: the token forms that the provider accepts; Apple Pay is off if the options' form is not among
    ///     them.
    ///   - standIn: the stand-in for Apple; `nil` for Apple itself. Only for a provider that moves no money.
    ///   - statsD: the StatsD destination, in addition to the metrics page.
    ///   - contactRetention: the retention of contacts; a paid basket is kept as long, and 180 days at least.
    ///   - reload: reloads the options, for certificates that are replaced while the counter runs; called at most every
    ///     thirty seconds. A result of `nil` keeps the current ones. The environment never changes.
    ///   - isAside: `false` if a request waits for `reload`. Otherwise the request that begins it still has the earlier
    ///     options, and no request waits for a disk.
    ///   - note: receives a sentence when an association file disappears or returns, for the log.
    public init(
        options: ApplePayOptions, checkout: Checkout, journal: any Journal & RecordStore, account: AccountID,
        provider: ProviderName, handovers: Set<WalletHandover>, standIn: AppleStandIn? = nil,
        clock: any TillClock = SystemClock(), statsD: StatsD? = nil,
        contactRetention: Span = CounterOptions.usualContactRetention,
        reload: (@Sendable () -> ApplePayOptions?)? = nil, isAside: Bool = true,
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(PaymentTokenError) {
        let trust: SignerTrust
        if let standIn { trust = standIn.trust } else { trust = try .apple() }
        self.init(
            options: options, trust: trust, sandbox: nil, standIn: standIn, checkout: checkout, journal: journal,
            account: account, provider: provider, handovers: handovers, clock: clock, statsD: statsD,
            contactRetention: contactRetention, reload: reload, isAside: isAside, note: note)
    }

    /// Sets up the sandbox, with the demo shop. Its simulator cannot reach a production shop.
    /// - Parameters:
    ///   - account: the account of the sales.
    ///   - provider: the sandbox, or another provider's simulator.
    ///   - opening: the party that decrypts tokens; a provider's simulator checks only their form.
    ///   - origins: the origins of a team's own pages, such as `http://localhost:3000`, which the simulator serves.
    ///   - settings: the shop whose name, country, currency, networks, icons, delivery rule and coupons the sheets
    ///     have, as a domain's own where it lists the origin of the page, or is the only one; by default the demo
    ///     shop's. Its certificates and keys are not used.
    public static func sandbox(
        checkout: Checkout, journal: any Journal & RecordStore, account: AccountID, provider: ProviderName = .sandbox,
        opening: TokenOpening = .here, origins: Set<String> = [], settings: ApplePayOptions? = nil,
        clock: any TillClock = SystemClock(), statsD: StatsD? = nil
    ) throws -> ApplePayWeb {
        let sandbox = try ApplePaySandbox(clock: clock, origins: origins)
        let identity = ApplePayDomain.Identity(
            certificate: Array(sandbox.identity.certificate.utf8),
            key: Secret(Array(sandbox.identity.key.reveal().utf8)))
        guard let local = WebDomain(ApplePaySandbox.domain) else { throw SandboxTokenError.notMerchant }
        let domain = ApplePayDomain(
            domain: local, merchant: ApplePaySandbox.merchant, identities: [identity],
            association: Array("till sandbox domain association\n".utf8),
            origins: origins)
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
        if let settings { options.show(settings, on: domain) }
        return ApplePayWeb(
            options: options, trust: try SignerTrust(root: sandbox.apple.rootCertificate), sandbox: sandbox,
            checkout: checkout, journal: journal, account: account, provider: provider, handovers: [options.handover],
            clock: clock, statsD: statsD)
    }

    private init(
        options: ApplePayOptions, trust: SignerTrust, sandbox: ApplePaySandbox?, standIn: AppleStandIn? = nil,
        checkout: Checkout, journal: any Journal & RecordStore, account: AccountID, provider: ProviderName,
        handovers: Set<WalletHandover>, clock: any TillClock, statsD: StatsD?,
        contactRetention: Span = CounterOptions.usualContactRetention,
        reload: (@Sendable () -> ApplePayOptions?)? = nil, isAside: Bool = false,
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let baskets = ApplePayBaskets(
            journal: journal, owner: account, clock: clock, paidFor: max(WalletBasket.paidLifetime, contactRetention))
        let live = LiveApplePayOptions(
            options, clock: MeasuringClock(clock), reload: reload, isAside: isAside, note: note)
        let metrics = ApplePayMetrics(statsD: statsD)
        // Beside the journal's file, as the counter's other secrets; a journal in memory has no place for a key.
        let pepper = (journal as? any CounterStore).map { Pepper(besideJournal: $0.path) }
        let customers = CustomerAccounts(journal, owner: account, pepper: pepper, clock: clock)
        let payment = ApplePayCheckout(
            live: live, verifier: PaymentTokenVerifier(trust: trust, environment: options.environment),
            baskets: baskets, customers: customers, replay: JournalReplayStore(store: journal, clock: clock),
            checkout: checkout, account: account, provider: provider, clock: clock, metrics: metrics)
        let sessions = MerchantSessions(clock: clock, budget: options.sessionBudget, standIn: standIn?.gateway)
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
                    metrics.send(daysLeft: routes.daysLeft(), domains: routes.domainStandings())
                    do { try await clock.sleep(for: ApplePayWeb.reminderInterval) } catch { return }
                }
            } : nil
    }

    /// The interval at which certificates' remaining days are sent to StatsD.
    static let reminderInterval = Span.minutes(1)

    /// `true` if the demo shop is available, which is the case in the sandbox.
    public var hasShop: Bool { routes.sandbox != nil }

    /// Opens a basket, so that a page can be given its identifier. The basket is durable on return. Opening the same
    /// identifier again replaces the basket, unless its payment was authorized; it is then left unchanged.
    /// - Parameter account: the signed-in customer; `nil` for a guest, in which case the order creates an account.
    /// - Throws: `JournalError` if the basket cannot be stored, for example because another account has a basket with
    ///   that identifier.
    public func open(_ basket: SheetBasket, account: String? = nil) async throws(JournalError) {
        try await routes.baskets.open(basket, account: account)
    }

    /// Returns the metrics in the Prometheus text format.
    public func metrics() -> String {
        routes.metrics.text(daysLeft: routes.daysLeft(), domains: routes.domainStandings())
    }

    /// Closes the connections to Apple.
    public func shutdown() async {
        reminder?.cancel()
        await routes.sessions.shutdown()
        await routes.sandbox?.stop()
        await routes.metrics.close()
    }
}
