public import TillCards
public import TillCore
public import TillPayPal

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

    /// The provider.
    /// - Throws: ``CounterError/cardProvider(_:)``.
    func provider(transport: any HTTPTransport, clock: any TillClock) throws(CounterError) -> PayPalProvider {
        do {
            let config = try ServerConfig(
                clientID: clientID, secret: secret, environment: PayPalEnvironment.custom(url))
            return PayPalProvider(config: config, transport: transport, clock: clock)
        } catch {
            throw .cardProvider("\(error)")
        }
    }
}
