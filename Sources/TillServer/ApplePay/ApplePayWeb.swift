import Hummingbird
public import TillApplePay
public import TillCheckout
public import TillCore
public import TillJournal
import TillSandbox

/// Apple Pay on the web, mounted into a counter: either a shop's own settings with Apple, or the sandbox, in which
/// this machine is Apple.
public struct ApplePayWeb: Sendable {
    let routes: ApplePayRoutes

    /// A shop with Apple itself.
    /// - Parameters:
    ///   - journal: the engine's; it also remembers which transactions were seen.
    ///   - provider: who is asked for the money.
    ///   - reload: reads the options anew, for certificates that are replaced while the counter runs; asked at most
    ///     every thirty seconds. `nil` from it keeps those in use. The environment stays as it was.
    public init(
        options: ApplePayOptions, checkout: Checkout, journal: any Journal, provider: ProviderName,
        clock: any TillClock = SystemClock(), reload: (@Sendable () -> ApplePayOptions?)? = nil
    ) throws(PaymentTokenError) {
        self.init(
            options: options, trust: try .apple(), sandbox: nil, checkout: checkout, journal: journal,
            provider: provider, clock: clock, reload: reload)
    }

    /// The sandbox, with the demo shop. There is no way from its simulator to a shop of production.
    public static func sandbox(
        checkout: Checkout, journal: any Journal, provider: ProviderName = .sandbox,
        clock: any TillClock = SystemClock()
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
        options.coupons = [
            "TENOFF": (10, Timestamp(milliseconds: .max)), "OLD": (50, Timestamp(milliseconds: 0)),
        ]
        return ApplePayWeb(
            options: options, trust: try SignerTrust(root: sandbox.apple.rootCertificate), sandbox: sandbox,
            checkout: checkout, journal: journal, provider: provider, clock: clock)
    }

    private init(
        options: ApplePayOptions, trust: SignerTrust, sandbox: ApplePaySandbox?, checkout: Checkout,
        journal: any Journal, provider: ProviderName, clock: any TillClock,
        reload: (@Sendable () -> ApplePayOptions?)? = nil
    ) {
        let baskets = ApplePayBaskets(clock: clock)
        let live = LiveApplePayOptions(options, clock: clock, reload: reload)
        let figures = ApplePayFigures()
        let payment = ApplePayCheckout(
            live: live, verifier: PaymentTokenVerifier(trust: trust, environment: options.environment),
            baskets: baskets, guests: GuestAccounts(), replay: JournalReplayStore(journal: journal, clock: clock),
            checkout: checkout,
            provider: provider, clock: clock, figures: figures)
        routes = ApplePayRoutes(
            live: live, baskets: baskets, checkout: payment,
            sessions: MerchantSessions(clock: clock, budget: options.sessionBudget), sandbox: sandbox,
            figures: figures, clock: clock)
    }

    /// The demo shop is there: this is the sandbox.
    public var hasShop: Bool { routes.sandbox != nil }

    /// Opens a basket, so that a page can be given its identifier. The same identifier again replaces it.
    public func open(_ basket: SheetBasket) async { await routes.baskets.open(basket) }

    /// The figures, in the Prometheus text format.
    public func metrics() -> String { routes.figures.text(daysLeft: routes.daysLeft()) }

    /// Closes the connections to Apple.
    public func shutdown() async {
        await routes.sessions.shutdown()
        await routes.sandbox?.stop()
    }
}
