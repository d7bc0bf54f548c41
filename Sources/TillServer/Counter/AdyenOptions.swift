import TillAdyen
public import TillCore
internal import TillJournal

/// How Adyen is reached, if it is configured.
public struct AdyenOptions: Sendable {
    /// The merchant account.
    public var merchantAccount: String
    /// The key.
    public var key: Secret<String>
    /// Where the interface is; nil for Adyen's test system.
    public var url: String?
    /// The keys of webhooks in hexadecimal.
    public var webhookKeys: [Secret<String>]
    /// Where customers come back to.
    public var returnURL: String?

    /// Options.
    public init(
        merchantAccount: String, key: Secret<String>, url: String?, webhookKeys: [Secret<String>] = [],
        returnURL: String? = nil
    ) {
        self.merchantAccount = merchantAccount
        self.key = key
        self.url = url
        self.webhookKeys = webhookKeys
        self.returnURL = returnURL
    }

    /// The provider and what checks its webhooks. What webhooks tell is kept in the journal.
    /// - Throws: ``CounterError/cardProvider(_:)``.
    func provider(
        transport: any HTTPTransport, journal: any RecordStore, clock: any TillClock
    ) throws(CounterError) -> (provider: AdyenProvider, webhooks: AdyenWebhooks?) {
        do {
            let config = try AdyenConfig(
                merchantAccount: merchantAccount, apiKey: key, url: url, webhookKeys: webhookKeys,
                returnURL: returnURL ?? "https://127.0.0.1/")
            let book = AdyenNotificationLog(JournalAdyenNotifications(store: journal))
            return (
                AdyenProvider(config: config, transport: transport, book: book, clock: clock), AdyenWebhooks(config)
            )
        } catch {
            throw .cardProvider("\(error)")
        }
    }
}
