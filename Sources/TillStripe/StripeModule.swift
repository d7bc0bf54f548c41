import TillCards
public import TillCore
internal import TillHardware
public import TillProvider
public import TillStatements

/// The Stripe module: online card payments, smart readers, and apps with Stripe's SDK.
public struct StripeModule: ProviderModule {
    /// The name in settings, requests and the journal: `stripe`.
    public static let name = ProviderName(rawValue: "stripe")
    public static let title = "Stripe"
    public static let settings: [Setting] = [
        .stripeURL, .stripeKey, .stripeKeyFile, .stripePublishableKey, .stripeAccount, .stripeWebhookSecret,
        .stripeWebhookSecretFile, .stripeNetworkPriority,
    ]
    public static let required: [Setting] = [.stripeKey]
    public static let hosts = ["api.stripe.com"]
    /// Errors, declines, failed refunds, and the outcomes of reader actions.
    public static var codes: [ProviderCodeTable] {
        [StripeCodes.errors, StripeCodes.refundFailures, StripeCodes.reader]
    }
    /// Balance transactions as JSON, and the payout report as CSV.
    public static var statementFormats: [any StatementFormat] { [StripeBalanceTransactions(), StripePayoutReport()] }
    private static let defaultURL = "https://api.stripe.com"

    public let online: StripeProvider
    public let terminal: StripeTerminalProvider
    private let publishableKey: StripePublishableKey?
    private let url: String
    private let clock: any TillClock

    public static func make(
        _ settings: any SettingValues, in environment: ProviderEnvironment
    ) throws(ProviderModuleError) -> StripeModule? {
        let url = settings.text(.stripeURL) ?? defaultURL
        let standIn = environment.standInKey(for: name, at: url, "sk_test_local").map { Secret($0) }
        guard let key = settings.secret(.stripeKey) ?? standIn else { return nil }
        do throws(StripeConfigurationError) {
            var online = try StripeProvider(
                secretKey: key, baseURL: url, transport: environment.transport, clock: environment.clock,
                webhookSecrets: settings.secrets(.stripeWebhookSecret), account: settings.text(.stripeAccount))
            online.disputes = SignedDisputes(environment.notifications(of: name))
            if let address = environment.returnAddress { online.returnURL = returnURL(address, in: online.mode) }
            var publishableKey: StripePublishableKey?
            if let text = settings.text(.stripePublishableKey) {
                publishableKey = try StripePublishableKey(text, in: online.mode)
            }
            var options = StripeTerminalOptions()
            options.requestedPriority = settings.text(.stripeNetworkPriority)
            return StripeModule(
                online: online, terminal: StripeTerminalProvider(online, options: options),
                publishableKey: publishableKey, url: url, clock: environment.clock)
        } catch {
            throw ProviderModuleError(self, "\(error)")
        }
    }

    /// Returns the address to which a bank sends the customer of an attempt back. With a live key only `https`: an
    /// address that Stripe refuses would decline every card.
    private static func returnURL(
        _ address: @escaping @Sendable (AttemptID) -> ReturnAddress, in mode: PaymentMode
    ) -> @Sendable (AttemptID) -> String? {
        { attempt in
            let own = address(attempt)
            guard own.base.hasPrefix("https://") || mode == .test else { return nil }
            return ChallengeReturn(base: own.base, random: own.state).returnURL
        }
    }

    /// The mode of the API key.
    public var mode: PaymentMode { online.mode }
    public var addresses: [String] { [url] }
    /// Online card payments, and sales at readers.
    public var providers: [any PaymentServiceProvider] { [online, terminal] }
    /// The webhook receiver, if at least one webhook secret is configured.
    public var webhooks: (any WebhookReceiver)? {
        online.webhookSecrets.isEmpty ? nil : StripeWebhookReceiver(provider: online, feed: terminal.feed)
    }
    /// Stripe's balance transactions, over the API.
    public var statements: (any StatementSource)? { StripeStatementSource(provider: online) }
    public var readers: (any ReaderFleet)? { StripeReaders(terminal: terminal) }
    /// Sales by apps with Stripe's SDK.
    public var devices: (any DeviceSales)? { StripeReaders(terminal: terminal) }
    /// Payment intents, of online cards and at readers, and refunds.
    public var charges: (any ChargeListing)? { online.charges }
    /// The configured address, the card fields, and the state of webhook verification.
    public var findings: [ProviderFinding] {
        [
            ProviderFinding("Stripe is configured at \(url)."),
            ProviderFinding(
                publishableKey == nil
                    ? "Cards on a shop's page are typed into the counter's own fields, without "
                        + "\(Setting.stripePublishableKey.key)."
                    : "Cards on a shop's page are typed into Stripe's fields."),
            online.webhookSecrets.isEmpty
                ? ProviderFinding(
                    "Stripe's webhooks are not set up: set \(Setting.stripeWebhookSecret.variable).", isFine: false)
                : ProviderFinding("Stripe's webhooks are verified."),
        ]
    }
    public func warnings() async -> [String] {
        (try? await online.disputes.areRefused()) == true ? [StripeProvider.disputesWithheld] : []
    }
    /// Encrypted for a processing certificate of Stripe's, or decrypted by the shop.
    public var walletHandovers: Set<WalletHandover> { [.sealed, .opened] }
    /// Decrypted ones: Stripe has to open them for an account, and its own libraries do not describe them.
    public static var unverifiedHandovers: Set<WalletHandover> { [.opened] }
    /// Stripe's fields, with a publishable key.
    public var cardFields: ProviderCardFields? { publishableKey?.cardFields }
    /// Encrypted tokens at the stand-in, which decrypts them itself.
    public var standInWallet: WalletHandover? { Loopback.isURL(url) ? .sealed : nil }
}

struct StripeWebhookReceiver: WebhookReceiver {
    let provider: StripeProvider
    let feed: TerminalFeed

    var maximumBytes: Int { StripeWebhook.maximumBytes }

    func events(in delivery: WebhookDelivery) async throws(WebhookRefusal) -> [WebhookEvent] {
        let event: StripeEvent
        do throws(StripeWebhookError) {
            event = try StripeWebhook.verify(
                payload: delivery.body, signatureHeader: delivery.header("Stripe-Signature"),
                secrets: provider.webhookSecrets, now: delivery.receivedAt)
        } catch {
            throw .refused(error.description, next: "Check the webhook's secret.")
        }
        var payment = event.payment
        if payment == nil, event.isAfterSale, let intent = event.paymentIntent {
            do throws(WebhookOwnerUnknown) { payment = try await provider.payment(of: intent) } catch {
                throw .later("Stripe did not say which payment the event is about.", code: "payment_unknown")
            }
        }
        if let dispute = event.dispute, let name = event.objectID, let intent = event.paymentIntent {
            do throws(NotificationStoreError) {
                try await provider.disputes.keep(
                    event.id, of: name, about: intent.rawValue, at: event.created,
                    isFinal: StripeDispute(dispute)?.dispute.outcome != nil, dispute)
            } catch { throw .later("The disk did not take what the event says.", code: "webhook_not_kept") }
        }
        return [
            WebhookEvent(
                id: event.id, payment: payment, attempt: event.attempt, account: event.account, order: event.order,
                isAfterSale: event.isAfterSale
            ) { [feed] in feed.received(event) }
        ]
    }
}

extension TerminalFeed {
    /// Wakes the waiters of the reader that a webhook concerns, so that they query immediately.
    func received(_ event: StripeEvent) {
        if event.objectKind == "terminal.reader", let reader = event.objectID { changed(reader) }
        if let intent = event.paymentIntent, let reader = reader(of: intent) { changed(reader) }
    }
}

extension Setting {
    package static let stripeURL = Setting(
        key: "stripe.url", option: "--stripe-url", kind: .text, defaultValue: "https://api.stripe.com",
        about: "Where Stripe's interface is.")
    package static let stripeKey = Setting(
        key: "stripe.key", option: "--stripe-key", kind: .secret, about: "Stripe's secret key.")
    package static let stripeKeyFile = Setting(
        key: "stripe.key_file", kind: .path, about: "The file with Stripe's secret key.")
    package static let stripePublishableKey = Setting(
        key: "stripe.publishable_key", kind: .text,
        about: "Stripe's publishable key, `pk_…`, of the secret key's mode: card fields are then Stripe's own.")
    package static let stripeAccount = Setting(
        key: "stripe.account", kind: .text,
        about: "The account of Stripe's key, `acct_…`, where a restricted key may not ask for it.")
    package static let stripeWebhookSecret = Setting(
        key: "stripe.webhook_secret", kind: .secret,
        about: "Stripe's webhook secret; two, separated by a comma, while one is being replaced.")
    package static let stripeWebhookSecretFile = Setting(
        key: "stripe.webhook_secret_file", kind: .path,
        about: "The file with Stripe's webhook secret; two lines for two.")
    package static let stripeNetworkPriority = Setting(
        key: "stripe.network_priority", kind: .choice(["domestic", "international"]),
        about: "Which network of a card with two goes first at a reader: domestic is eftpos or Cartes Bancaires.")
}
