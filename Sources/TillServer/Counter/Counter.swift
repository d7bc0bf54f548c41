public import TillCheckout
public import TillCore
import TillHTTP
public import TillJournal
import TillSandbox
public import TillAdyen
public import TillPayPal
public import TillStripe

/// Everything a shop's counter consists of, put together: the journal, the providers, the engine. The command line
/// and the server both stand on it.
public struct Counter: Sendable {
    /// The journal.
    public let journal: any CounterStore
    /// The engine.
    public let checkout: Checkout
    /// Stripe, if it is configured, for its webhooks.
    public let stripe: StripeProvider?
    /// Stripe's card readers, if Stripe is configured.
    public let terminal: StripeTerminalProvider?
    /// PayPal, if it is configured, for renewals of holds and for its webhooks.
    public let payPal: PayPalProvider?
    /// Adyen, if it is configured, for its webhooks.
    public let adyen: (provider: AdyenProvider, webhooks: AdyenWebhooks?)?
    /// A terminal of Adyen's, if it is configured.
    public let adyenTerminal: AdyenTerminalProvider?
    /// Payments without a connection.
    public let offline: OfflineService
    /// What it was made from.
    public let options: CounterOptions
    /// The time.
    public let clock: any TillClock
    /// How calls to providers ended since it was opened.
    public let calls: ProviderCalls
    private let transport: HTTPClientTransport?
    private let terminalTransport: HTTPClientTransport?

    /// Connects the providers to a journal, which is the counter's from then on: ``close()`` closes it.
    /// - Parameter journal: the one that the options name, opened.
    /// - Throws: ``CounterError`` with a sentence for the person who starts it.
    public static func open(
        _ options: CounterOptions, journal: any CounterStore, clock: any TillClock = SystemClock()
    ) async throws(CounterError) -> Counter {
        var providers: [any PaymentServiceProvider] = [CashDrawer()]
        let offline: OfflineService
        do {
            let store = try SandboxFileStore(path: options.sandboxLedger)
            let sandbox = SandboxProvider(store: store, clock: clock, latency: options.sandboxLatency)
            providers.append(sandbox)
            offline = try OfflineService.make(options, sandbox: sandbox, journal: journal, clock: clock)
            providers.append(offline.provider)
        } catch {
            throw .sandbox(options.sandboxLedger, "\(error)")
        }
        var stripe: StripeProvider?
        var terminal: StripeTerminalProvider?
        var transport: HTTPClientTransport?
        if let key = options.stripeKey {
            let wire = HTTPClientTransport()
            do {
                let provider = try StripeProvider(
                    secretKey: key, baseURL: options.stripeURL, transport: TracedTransport(transport: wire),
                    clock: clock,
                    webhookSecrets: options.stripeWebhookSecrets)
                var routing = StripeTerminalOptions()
                routing.requestedPriority = options.stripeNetworkPriority
                let atReaders = StripeTerminalProvider(provider, options: routing)
                providers += [provider, atReaders]
                stripe = provider
                terminal = atReaders
            } catch {
                await wire.shutdown()
                throw .stripe(error)
            }
            transport = wire
        }
        var payPal: PayPalProvider?
        if let configured = options.payPal {
            let wire = transport ?? HTTPClientTransport()
            transport = wire
            do {
                let provider = try configured.provider(
                    transport: TracedTransport(transport: wire), clock: clock,
                    returnURL: returnURL(options, journal: journal.path))
                providers.append(provider)
                payPal = provider
            } catch {
                await wire.shutdown()
                throw error
            }
        }
        if let configured = options.braintree {
            let wire = transport ?? HTTPClientTransport()
            transport = wire
            do {
                providers.append(
                    try configured.provider(transport: TracedTransport(transport: wire), clock: clock))
            } catch {
                await wire.shutdown()
                throw error
            }
        }
        var adyen: (provider: AdyenProvider, webhooks: AdyenWebhooks?)?
        if let configured = options.adyen {
            let wire = transport ?? HTTPClientTransport()
            transport = wire
            do {
                let made = try configured.provider(
                    transport: TracedTransport(transport: wire), journal: journal, clock: clock)
                providers.append(made.provider)
                adyen = made
            } catch {
                await wire.shutdown()
                throw error
            }
        }
        var adyenTerminal: AdyenTerminalProvider?
        var terminalTransport: HTTPClientTransport?
        if let configured = options.adyenTerminal {
            do {
                let wire = try configured.transport()
                terminalTransport = wire
                let provider = try configured.provider(
                    transport: TracedTransport(transport: wire), checkout: adyen?.provider, clock: clock)
                providers.append(provider)
                adyenTerminal = provider
            } catch {
                await transport?.shutdown()
                await terminalTransport?.shutdown()
                throw error
            }
        }
        let calls = ProviderCalls()
        let checkout = Checkout(
            journal: journal, providers: providers.map { ObservedProvider(provider: $0, calls: calls) }, clock: clock)
        return Counter(
            journal: journal, checkout: checkout, stripe: stripe, terminal: terminal, payPal: payPal, adyen: adyen,
            adyenTerminal: adyenTerminal, offline: offline, options: options, clock: clock, calls: calls,
            transport: transport, terminalTransport: terminalTransport)
    }

    /// Where banks send customers back to; `nil` where the shop has said no address for customers.
    public var returnURL: ThreeDSecureReturnURL? { Counter.returnURL(options, journal: journal.path) }

    private static func returnURL(_ options: CounterOptions, journal: String) -> ThreeDSecureReturnURL? {
        options.receipts.url.flatMap { try? ThreeDSecureReturnURL(base: $0, besideJournal: journal) }
    }

    /// What checks PayPal's webhooks, if they are set up.
    public var payPalWebhooks: PayPalWebhooks? {
        transport.flatMap { options.payPal?.webhooks(transport: $0, clock: clock) }
    }

    /// What checks Braintree's webhooks, if it is set up.
    public var braintreeWebhooks: BraintreeWebhooks? {
        guard let transport, let config = try? options.braintree?.config() else { return nil }
        return BraintreeWebhooks(config: config, transport: transport, clock: clock)
    }

    /// Closes the connections and the journal.
    public func close() async {
        await transport?.shutdown()
        await terminalTransport?.shutdown()
        try? await journal.close()
    }
}

/// Why a counter cannot start.
public enum CounterError: ExplainedError {
    /// The journal cannot be opened.
    case journal(String, JournalError)
    /// The sandbox's books cannot be opened.
    case sandbox(String, String)
    /// Stripe's settings are not usable.
    case stripe(StripeConfigurationError)
    /// A card provider's settings are not usable; the sentence says why.
    case cardProvider(String)

    /// The stable word.
    public var code: String {
        switch self {
        case .journal: "journal_unavailable"
        case .sandbox: "sandbox_unavailable"
        case .stripe: "stripe_not_configured"
        case .cardProvider: "card_provider_not_configured"
        }
    }

    /// What happened.
    public var what: String {
        switch self {
        case .journal(let path, let error): "The journal \(path) cannot be opened. \(error)"
        case .sandbox(let path, let error): "The sandbox's books \(path) cannot be opened: \(error)."
        case .stripe(let error): "Stripe is not usable: \(error)"
        case .cardProvider(let reason): "A card provider is not usable: \(reason)"
        }
    }

    /// Nothing was asked of anybody.
    public var moneyMoved: MoneyMoved { .no }

    /// What to do next.
    public var next: String {
        switch self {
        case .journal: "Check the path, its rights and the disk, or give another with --journal."
        case .sandbox: "Check the path, its rights and the disk."
        case .stripe, .cardProvider: "Check the key and the address."
        }
    }
}
