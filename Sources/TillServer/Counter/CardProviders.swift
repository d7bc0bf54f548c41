internal import TillBraintree
import TillPayPalClient
public import TillCore
import TillPayPal

/// How PayPal is reached, if it is configured.
public struct PayPalOptions: Sendable {
    /// The client id.
    public var clientID: String
    /// The client's secret.
    public var secret: Secret<String>
    /// Where PayPal is: `https://api-m.paypal.com`, its sandbox, or a stand-in on this machine.
    public var url: String
    /// The webhook's id at PayPal, which every signature covers.
    public var webhookID: String?

    /// Options.
    public init(clientID: String, secret: Secret<String>, url: String, webhookID: String? = nil) {
        self.clientID = clientID
        self.secret = secret
        self.url = url
        self.webhookID = webhookID
    }

    /// What checks PayPal's webhooks; `nil` without the webhook's id. A stand-in on this machine vouches for itself.
    func webhooks(transport: any HTTPTransport, clock: any TillClock) -> PayPalWebhooks? {
        if let own = PayPalWebhooks(standInAt: url, webhookID: webhookID, transport: transport, clock: clock) {
            return own
        }
        return webhookID.map { PayPalWebhooks(webhookID: $0, transport: transport, clock: clock) }
    }

    /// The provider.
    /// - Throws: ``CounterError/cardProvider(_:)``.
    func provider(
        transport: any HTTPTransport, clock: any TillClock, returnURL: ThreeDSecureReturnURL?
    ) throws(CounterError) -> PayPalProvider {
        do {
            let config = try ServerConfig(
                clientID: clientID, secret: secret, environment: PayPalEnvironment.custom(url))
            return PayPalProvider(
                config: config, transport: transport, clock: clock, returnURL: returnURL.map { $0.addresses(of:) })
        } catch {
            throw .cardProvider("\(error)")
        }
    }
}

/// How Braintree is reached, if it is configured.
public struct BraintreeOptions: Sendable {
    /// The merchant.
    public var merchantID: String
    /// The public key.
    public var publicKey: String
    /// The private key.
    public var privateKey: Secret<String>
    /// An address for all of it, `live`, or nothing for Braintree's sandbox.
    public var url: String?

    /// Options.
    public init(merchantID: String, publicKey: String, privateKey: Secret<String>, url: String? = nil) {
        self.merchantID = merchantID
        self.publicKey = publicKey
        self.privateKey = privateKey
        self.url = url
    }

    /// The provider.
    /// - Throws: ``CounterError/cardProvider(_:)``.
    func provider(
        transport: any HTTPTransport, clock: any TillClock
    ) throws(CounterError) -> any PaymentServiceProvider {
        do throws(BraintreeConfigError) {
            return BraintreeProvider(config: try config(), transport: transport, clock: clock)
        } catch {
            throw .cardProvider("\(error)")
        }
    }

    func config() throws(BraintreeConfigError) -> BraintreeConfig {
        try BraintreeConfig(
            merchantID: merchantID, publicKey: publicKey, privateKey: privateKey, isLive: url == "live",
            url: url == "live" ? nil : url)
    }
}
