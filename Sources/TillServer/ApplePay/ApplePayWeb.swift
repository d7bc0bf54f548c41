import Hummingbird
public import TillApplePay
public import TillCheckout
public import TillCore
import TillSandbox

/// Apple Pay on the web, mounted into a counter: either a shop's own settings with Apple, or the sandbox, in which
/// this machine is Apple.
public struct ApplePayWeb: Sendable {
    let routes: ApplePayRoutes

    /// A shop with Apple itself.
    /// - Parameter provider: who is asked for the money.
    public init(
        options: ApplePayOptions, checkout: Checkout, provider: ProviderName, clock: any TillClock = SystemClock()
    ) throws(PaymentTokenError) {
        self.init(
            options: options, trust: try .apple(), sandbox: nil, checkout: checkout, provider: provider, clock: clock)
    }

    /// The sandbox, with the demo shop. There is no way from its simulator to a shop of production.
    public static func sandbox(
        checkout: Checkout, provider: ProviderName = .sandbox, clock: any TillClock = SystemClock()
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
            checkout: checkout, provider: provider, clock: clock)
    }

    private init(
        options: ApplePayOptions, trust: SignerTrust, sandbox: ApplePaySandbox?, checkout: Checkout,
        provider: ProviderName, clock: any TillClock
    ) {
        let baskets = ApplePayBaskets(clock: clock)
        let figures = ApplePayFigures()
        let payment = ApplePayCheckout(
            options: options, verifier: PaymentTokenVerifier(trust: trust, environment: options.environment),
            baskets: baskets, guests: GuestAccounts(), replay: MemoryReplayStore(clock: clock), checkout: checkout,
            provider: provider, clock: clock, figures: figures)
        routes = ApplePayRoutes(
            options: options, baskets: baskets, checkout: payment,
            sessions: MerchantSessions(clock: clock, budget: options.sessionBudget), sandbox: sandbox,
            figures: figures, clock: clock)
    }

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
