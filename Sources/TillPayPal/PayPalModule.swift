internal import TillCards
internal import TillPayPalClient
public import TillCore
public import TillProvider
public import TillStatements

/// The PayPal integration: typed cards, cards of PayPal's own fields and wallets as orders.
public struct PayPalModule: ProviderModule {
    /// The name in settings, requests and the journal: `paypal`.
    public static let name = ProviderName(rawValue: "paypal")
    public static let title = "PayPal"
    public static let settings: [Setting] = [
        .payPalURL, .payPalClientID, .payPalSecret, .payPalSecretFile, .payPalWebhookID,
        .payPalThreeDSecure, .payPalCardFields,
    ]
    public static let required: [Setting] = [.payPalClientID, .payPalSecret]
    public static let hosts = ["api-m.paypal.com", "api-m.sandbox.paypal.com"]
    /// The codes of error issues, and of processor responses.
    public static var codes: [ProviderCodeTable] { [PayPalIssue.codes, ProcessorResponse.codes] }
    /// The formats of the transaction search and of the settlement report.
    public static var statementFormats: [any StatementFormat] { [PayPalTransactionSearch(), PayPalSettlementReport()] }
    private static let defaultURL = "https://api-m.sandbox.paypal.com"

    private let provider: PayPalProvider
    private let receiver: PayPalWebhooks?
    private let url: String
    private let clientID: String
    private let drawsCardFields: Bool

    /// Creates the module. A local stand-in accepts any client, so none needs to be configured, and certifies its own
    /// webhooks.
    public static func make(
        _ settings: any SettingValues, in environment: ProviderEnvironment
    ) throws(ProviderModuleError) -> PayPalModule? {
        let url = settings.text(.payPalURL) ?? defaultURL
        let standIn = environment.standInKey(for: name, at: url)
        guard let client = settings.text(.payPalClientID) ?? standIn,
            let secret = settings.secret(.payPalSecret) ?? standIn.map({ Secret($0) })
        else { return nil }
        let config: ServerConfig
        do {
            config = try ServerConfig(clientID: client, secret: secret, environment: PayPalEnvironment.custom(url))
        } catch {
            throw ProviderModuleError(self, "\(error)")
        }
        let (transport, clock) = (environment.transport, environment.clock)
        var returnURL: (@Sendable (AttemptID) -> ChallengeReturn)?
        if let address = environment.returnAddress {
            returnURL = { attempt in
                let own = address(attempt)
                return ChallengeReturn(base: own.base, random: own.state)
            }
        }
        let threeDSecure = settings.text(.payPalThreeDSecure).flatMap { ThreeDSecure(rawValue: $0) } ?? .whenOffered
        guard threeDSecure != .required || returnURL != nil else {
            throw ProviderModuleError(
                self,
                "\(Setting.payPalThreeDSecure.key) is required, and banks have no address to send customers back to.",
                next: "Set receipt_url to where customers reach this counter, or choose when_offered.")
        }
        let webhookID = settings.text(.payPalWebhookID)
        let standInWebhooks = PayPalWebhooks(
            standInAt: url, webhookID: webhookID, transport: transport, clock: clock)
        let webhooks = webhookID.map { PayPalWebhooks(webhookID: $0, transport: transport, clock: clock) }
        var provider = PayPalProvider(
            config: config, transport: transport, clock: clock, threeDSecure: threeDSecure, returnURL: returnURL)
        provider.toldDisputes = SignedDisputes(environment.notifications(of: name))
        return PayPalModule(
            provider: provider,
            receiver: standInWebhooks ?? webhooks, url: url, clientID: client,
            drawsCardFields: settings.text(.payPalCardFields) == name.rawValue)
    }

    /// The mode, according to the address.
    public var mode: PaymentMode { provider.mode }
    public var addresses: [String] { [url] }
    public var providers: [any PaymentServiceProvider] { [provider] }
    /// The receiver of webhooks; requires the webhook id, which every signature covers.
    public var webhooks: (any WebhookReceiver)? {
        receiver.map { PayPalWebhookReceiver(webhooks: $0, provider: provider) }
    }
    /// The charges from PayPal's transaction search, which lags.
    public var charges: (any ChargeListing)? { PayPalChargeListing(provider: provider) }
    /// The transactions from the same search.
    public var statements: (any StatementSource)? { PayPalStatementSource(provider: provider) }
    /// PayPal's fields: always for apps, and in the counter's frame if the settings say so.
    public var cardFields: ProviderCardFields? {
        ProviderCardFields(sources: drawsCardFields ? PayPalModule.sources(mode) : nil, reference: .order) {
            [clientID] _ in ProviderCardFields.Key.clientID(clientID)
        }
    }

    /// Returns the hosts that the card fields of PayPal's script need. PayPal's own recommendation allows its script,
    /// frames, connections and images from every subdomain of three domains, because it covers buttons, messages and
    /// Venmo too, and inline scripts. Here a nonce takes the place of `unsafe-inline`, and scripts, frames and images
    /// come from the hosts named for the script, for its fields and for its risk checks only. Connections stay within
    /// PayPal's domain, whose hosts for reports are not listed anywhere. The script shows a bank's page within a frame
    /// of its own.
    /// Sources: PayPal, "Best practices" of its JavaScript SDK, and "Integrate FraudNet".
    static func sources(_ mode: PaymentMode) -> ProviderCardFields.Sources {
        let pages = ["https://www.paypal.com"] + (mode == .test ? ["https://www.sandbox.paypal.com"] : [])
        let checks = "https://c.paypal.com"
        let files = "https://www.paypalobjects.com"
        return ProviderCardFields.Sources(
            scripts: pages + [files, checks], frames: pages + [checks], connections: ["https://*.paypal.com"],
            images: [files, checks, "https://b.stats.paypal.com", "data:"], asksBanks: false, usesNonce: true)
    }

    /// The findings: the address, and the verification of webhooks.
    public var findings: [ProviderFinding] {
        [
            ProviderFinding("PayPal is configured at \(url)."),
            receiver == nil
                ? ProviderFinding(
                    "PayPal's webhooks are not set up: set \(Setting.payPalWebhookID.variable).", isFine: false)
                : ProviderFinding("PayPal's webhooks are verified."),
            ProviderFinding(
                drawsCardFields
                    ? "Cards on a shop's page are typed into PayPal's fields."
                    : "Cards on a shop's page are typed into the counter's own fields, without "
                        + "\(Setting.payPalCardFields.key)."),
            ProviderFinding(
                "PayPal reports disputes only to an app that has the feature Customer disputes, and lists charges "
                    + "after a restore and statements only to one that has Transaction Search: check it at PayPal."),
        ]
    }
    public func warnings() async -> [String] {
        (try? await provider.toldDisputes.areRefused()) == true ? [PayPalProvider.disputesWithheld] : []
    }
    /// Wallet tokens decrypted by the shop only.
    public var walletHandovers: Set<WalletHandover> { [.opened] }
    /// Decrypted tokens for the stand-in.
    public var standInWallet: WalletHandover? { Loopback.isURL(url) ? .opened : nil }
}

struct PayPalWebhookReceiver: WebhookReceiver {
    let webhooks: PayPalWebhooks
    let provider: PayPalProvider

    var maximumBytes: Int { PayPalWebhooks.maximumBytes }

    func events(in delivery: WebhookDelivery) async throws(WebhookRefusal) -> [WebhookEvent] {
        let head = PayPalWebhooks.Head(
            id: delivery.header("PayPal-Transmission-Id"), time: delivery.header("PayPal-Transmission-Time"),
            signature: delivery.header("PayPal-Transmission-Sig"), certificate: delivery.header("PayPal-Cert-Url"),
            algorithm: delivery.header("PayPal-Auth-Algo"))
        let event: PayPalWebhookEvent
        do throws(PayPalWebhookError) {
            event = try await webhooks.verify(body: delivery.body, head: head)
        } catch {
            throw error.isTemporary
                ? .later(error.description) : .refused(error.description, next: "Check the webhook's id at PayPal.")
        }
        var payment = event.payment
        if payment == nil, event.isAfterSale, let capture = event.capture {
            do throws(PayPalOwnerUnknown) { payment = try await provider.payment(of: capture) } catch {
                throw .later("PayPal did not say which payment the event is about.", code: "payment_unknown")
            }
        }
        if let dispute = event.dispute {
            do throws(NotificationStoreError) {
                try await provider.toldDisputes.keep(
                    event.id, of: dispute.name, about: dispute.capture.rawValue, at: event.created,
                    isFinal: PayPalDispute(dispute.facts, isTold: true)?.dispute.outcome != nil, dispute.facts)
            } catch { throw .later("The disk did not take what the event says.", code: "webhook_not_kept") }
        }
        return [
            WebhookEvent(id: event.id, payment: payment, attempt: event.attempt, isAfterSale: event.isAfterSale)
        ]
    }
}

extension Setting {
    package static let payPalURL = Setting(
        key: "paypal.url", option: "--paypal-url", kind: .text, defaultValue: "https://api-m.sandbox.paypal.com",
        about: "Where PayPal's interface is.")
    package static let payPalClientID = Setting(
        key: "paypal.client_id", option: "--paypal-client-id", kind: .text, about: "PayPal's client id.")
    package static let payPalSecret = Setting(
        key: "paypal.secret", option: "--paypal-secret", kind: .secret, about: "PayPal's secret.")
    package static let payPalSecretFile = Setting(
        key: "paypal.secret_file", kind: .path, about: "The file with PayPal's secret.")
    package static let payPalWebhookID = Setting(
        key: "paypal.webhook_id", kind: .text,
        about: "The webhook's id at PayPal; without it no webhook of PayPal's is believed.")
    package static let payPalThreeDSecure = Setting(
        key: "paypal.three_d_secure", kind: .choice(ThreeDSecure.allCases.map(\.rawValue)),
        defaultValue: ThreeDSecure.whenOffered.rawValue,
        about: "Whether PayPal asks the bank to challenge every typed card: required, or when_offered, where PayPal "
            + "and the law decide. After a challenge money is taken only if the bank bears a loss; a result that is "
            + "missing or UNKNOWN takes nothing. required needs receipt_url.")
    package static let payPalCardFields = Setting(
        key: "paypal.card_fields", kind: .choice(["counter", "paypal"]), defaultValue: "counter",
        about: "Whose card fields a shop's page shows: the counter's own, or PayPal's.")
}
