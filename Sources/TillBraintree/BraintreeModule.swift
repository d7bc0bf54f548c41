internal import Foundation
public import TillCore
public import TillProvider
public import TillStatements

/// The Braintree module, for manually entered cards.
public struct BraintreeModule: ProviderModule {
    /// The name in settings, requests and the journal: `braintree`.
    public static let name = ProviderName(rawValue: "braintree")
    public static let title = "Braintree"
    /// Request errors, the processor's responses, and the gateway's own rejections.
    public static var codes: [ProviderCodeTable] {
        [BraintreeCodes.errors, BraintreeCodes.processor, BraintreeCodes.gatewayRejections]
    }
    /// The transaction export of Braintree's control panel.
    public static var statementFormats: [any StatementFormat] { [BraintreeTransactionSearch()] }
    public static let settings: [Setting] = [
        .braintreeURL, .braintreeMerchantID, .braintreeMerchantAccounts, .braintreePublicKey, .braintreePrivateKey,
        .braintreePrivateKeyFile, .braintreeCardFields, .braintreeThreeDSecure,
    ]
    /// The merchant and its keys.
    public static let required: [Setting] = [.braintreeMerchantID, .braintreePublicKey, .braintreePrivateKey]
    public static let hosts = [".braintreegateway.com", ".braintree-api.com"]
    /// The address value that selects Braintree's production environment.
    private static let live = "live"

    private let config: BraintreeConfig
    private let provider: BraintreeProvider
    private let drawsCardFields: Bool
    private let url: String?

    public static func make(
        _ settings: any SettingValues, in environment: ProviderEnvironment
    ) throws(ProviderModuleError) -> BraintreeModule? {
        let url = settings.text(.braintreeURL)
        let standIn = environment.standInKey(for: name, at: url)
        guard let merchant = settings.text(.braintreeMerchantID) ?? standIn,
            let publicKey = settings.text(.braintreePublicKey) ?? standIn,
            let privateKey = settings.secret(.braintreePrivateKey) ?? standIn.map({ Secret($0) })
        else { return nil }
        // A stand-in on this machine has an account with this name.
        let accounts =
            settings.text(.braintreeMerchantAccounts)
            ?? environment.standInKey(for: name, at: url, "EUR=sandbox") ?? ""
        let verification = settings.text(.braintreeThreeDSecure).flatMap { BraintreeVerification(rawValue: $0) } ?? .off
        do throws(BraintreeConfigError) {
            let config = try BraintreeConfig(
                merchantID: merchant, publicKey: publicKey, privateKey: privateKey,
                merchantAccounts: try BraintreeConfig.merchantAccounts(parsing: accounts), isLive: url == live,
                url: url == live ? nil : url)
            return BraintreeModule(
                config: config,
                provider: BraintreeProvider(
                    config: config, transport: environment.transport, clock: environment.clock,
                    verification: verification),
                drawsCardFields: settings.text(.braintreeCardFields) == name.rawValue, url: url)
        } catch {
            throw ProviderModuleError(self, "\(error)")
        }
    }

    /// The mode of the configured address.
    public var mode: PaymentMode { provider.mode }
    public var addresses: [String] { ["\(config.gateway)", "\(config.graphQL)"] }
    public var providers: [any PaymentServiceProvider] { [provider] }
    /// The webhook receiver, which verifies with the same keys.
    public var webhooks: (any WebhookReceiver)? { BraintreeWebhookReceiver(config: config, provider: provider) }
    /// Transactions, found by search.
    public var charges: (any ChargeListing)? { BraintreeChargeListing(provider: provider) }
    /// Paid-out transactions, by the same search, and disputes by theirs.
    public var statements: (any StatementSource)? { BraintreeStatementSource(provider: provider) }
    /// Braintree's fields: always for apps, and in the counter's frame if the settings say so.
    public var cardFields: ProviderCardFields? {
        let verifies = provider.verification != .off
        return ProviderCardFields(
            sources: drawsCardFields ? BraintreeModule.sources(mode, verifies: verifies) : nil, verifiesCards: verifies
        ) { [provider] currency in
            await provider.clientToken(for: currency).map { ProviderCardFields.Key.clientToken($0) }
        }
    }

    /// Returns the origins that Braintree names for its script. Where banks are asked, those of the service that asks
    /// them are among them, and any bank's page.
    /// Sources: Braintree, "Content Security Policy" in the reference of its web client; for the hosts of Cardinal's
    /// newer name, what Cardinal's users were told of it in 2026.
    static func sources(_ mode: PaymentMode, verifies: Bool) -> ProviderCardFields.Sources {
        let assets = "https://assets.braintreegateway.com"
        let host = mode == .live ? "" : "sandbox."
        let asking = "https://*.cardinaltrusted.com"
        let script = mode == .live ? "songbird" : "songbirdstag"
        return ProviderCardFields.Sources(
            scripts: ["https://js.braintreegateway.com", assets]
                + (verifies ? ["https://\(script).cardinalcommerce.com", asking] : []), frames: [assets],
            connections: [
                "https://api.\(host)braintreegateway.com", "https://client-analytics.\(host)braintreegateway.com",
                "https://*.braintree-api.com",
            ] + (verifies ? ["https://*.cardinalcommerce.com", asking] : []), images: [assets, "data:"],
            asksBanks: verifies)
    }

    /// The configured address and merchant accounts; the keys verify webhooks.
    public var findings: [ProviderFinding] {
        let accounts = config.merchantAccounts.sorted { $0.key.code < $1.key.code }
            .map { "\($0.key.code) into \($0.value)" }.joined(separator: ", ")
        return [
            ProviderFinding("Braintree is configured at \(url ?? "Braintree's sandbox")."),
            accounts.isEmpty
                ? ProviderFinding(
                    "Braintree has no merchant account: every payment is refused. Set "
                        + "\(Setting.braintreeMerchantAccounts.key).", isFine: false)
                : ProviderFinding(
                    "Braintree takes \(accounts); other currencies are refused. An account of another currency is "
                        + "noticed at its first payment."),
            ProviderFinding("Braintree's webhooks are verified."),
            ProviderFinding(
                drawsCardFields
                    ? "Cards on a shop's page are typed into Braintree's fields."
                    : "Cards on a shop's page are typed into the counter's own fields, without "
                        + "\(Setting.braintreeCardFields.key)."),
        ]
    }
}

/// A receiver of Braintree's webhooks: the transaction named in a webhook is read from Braintree.
struct BraintreeWebhookReceiver: WebhookReceiver {
    /// The maximum number of form fields read.
    static let maximumFields = 16

    let config: BraintreeConfig
    let provider: BraintreeProvider

    /// The payload is Base64 in a form: each of its bytes may arrive as three.
    var maximumBytes: Int { 4 * BraintreeWebhook.maximumBytes }

    func events(in delivery: WebhookDelivery) async throws(WebhookRefusal) -> [WebhookEvent] {
        let form = BraintreeWebhookReceiver.form(delivery.body)
        let event: BraintreeWebhook.Event
        do throws(BraintreeWebhookError) {
            event = try BraintreeWebhook.verify(
                payload: form["bt_payload"] ?? "", signature: form["bt_signature"] ?? "",
                publicKey: config.publicKey, privateKey: config.privateKey, now: delivery.receivedAt)
        } catch {
            throw .refused(error.description, next: "Check Braintree's keys.")
        }
        guard let transaction = event.transaction else { return [WebhookEvent(id: event.id, payment: nil)] }
        switch await provider.payment(ofTransaction: transaction) {
        case .payment(let id, let attempt):
            return [WebhookEvent(id: event.id, payment: id, attempt: attempt, isAfterSale: event.isAfterSale)]
        case .none: return [WebhookEvent(id: event.id, payment: nil)]
        case .unknown: throw .later("Braintree cannot be asked what the webhook is about.")
        }
    }

    /// Parses the fields of a form; of duplicates, the first counts.
    private static func form(_ bytes: [UInt8]) -> [String: String] {
        func plain(_ text: Substring) -> String? {
            String(text).replacing("+", with: " ").removingPercentEncoding
        }
        var fields: [String: String] = [:]
        for pair in String(decoding: bytes, as: UTF8.self).split(separator: "&").prefix(maximumFields) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = plain(parts[0]), let value = plain(parts[1]), fields[name] == nil else {
                continue
            }
            fields[name] = value
        }
        return fields
    }
}

extension Setting {
    package static let braintreeURL = Setting(
        key: "braintree.url", option: "--braintree-url", kind: .text, defaultValue: "Braintree's sandbox",
        about: "Where Braintree's interfaces are; `live` for the real ones.")
    package static let braintreeMerchantID = Setting(
        key: "braintree.merchant_id", kind: .text, about: "The merchant id at Braintree.")
    package static let braintreeMerchantAccounts = Setting(
        key: "braintree.merchant_accounts", kind: .pairs,
        about: "Braintree's merchant account of each currency, such as EUR=shop_eur; JPY=shop_jpy. Others are refused.")
    package static let braintreePublicKey = Setting(
        key: "braintree.public_key", kind: .text, about: "Braintree's public key.")
    package static let braintreePrivateKey = Setting(
        key: "braintree.private_key", kind: .secret, about: "Braintree's private key.")
    package static let braintreePrivateKeyFile = Setting(
        key: "braintree.private_key_file", kind: .path, about: "The file with Braintree's private key.")
    package static let braintreeCardFields = Setting(
        key: "braintree.card_fields", kind: .choice(["counter", "braintree"]), defaultValue: "counter",
        about: "Whose card fields a shop's page shows: the counter's own, or Braintree's.")
    package static let braintreeThreeDSecure = Setting(
        key: "braintree.three_d_secure", kind: .choice(BraintreeVerification.allCases.map(\.rawValue)),
        defaultValue: BraintreeVerification.off.rawValue,
        about: "Whether a card of Braintree's fields is charged only after its bank was asked: required, if the bank "
            + "bears a loss; when_offered, also if the bank takes no part; off, without.")
}
