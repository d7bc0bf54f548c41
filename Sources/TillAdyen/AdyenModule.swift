public import TillCore
public import TillProvider
public import TillStatements

/// The Adyen integration: typed cards through the Checkout API, and a terminal on the local network.
public struct AdyenModule: ProviderModule {
    /// The name in settings, requests and the journal: `adyen`.
    public static let name = ProviderName(rawValue: "adyen")
    public static let title = "Adyen"
    public static let settings: [Setting] = [
        .adyenURL, .adyenMerchantAccount, .adyenKey, .adyenKeyFile, .adyenClientKey, .adyenHMACKey, .adyenHMACKeyFile,
        .adyenReturnURL,
        .adyenReportUser, .adyenReportPassword, .adyenReportPasswordFile, .adyenReportURL,
        .adyenTerminal, .adyenTerminalPassphrase, .adyenTerminalPassphraseFile, .adyenTerminalKey, .adyenTerminalRoot,
    ]
    /// The codes of refusals, of request errors, and of failures after acceptance.
    public static var codes: [ProviderCodeTable] {
        [AdyenCodes.refusals, AdyenCodes.errors, AdyenCodes.modifications, AdyenCodes.failures]
    }
    /// The format of the settlement details report.
    public static var statementFormats: [any StatementFormat] { [AdyenSettlementReport()] }
    /// The merchant account and its API key. A terminal alone also processes payments.
    public static let required: [Setting] = [.adyenMerchantAccount, .adyenKey]
    public static let hosts = [".adyen.com", ".adyenpayments.com"]

    private let online: AdyenProvider?
    private let receiver: AdyenWebhookReceiver?
    private let terminal: AdyenTerminalProvider?
    private let url: String?
    private let source: AdyenStatementSource?
    private let clientKey: AdyenClientKey?

    /// Creates the module. Webhook events are stored with the counter's notifications.
    public static func make(
        _ settings: any SettingValues, in environment: ProviderEnvironment
    ) throws(ProviderModuleError) -> AdyenModule? {
        let url = settings.text(.adyenURL)
        let standIn = environment.standInKey(for: name, at: url)
        var online: AdyenProvider?
        var receiver: AdyenWebhookReceiver?
        if let account = settings.text(.adyenMerchantAccount) ?? standIn,
            let key = settings.secret(.adyenKey) ?? standIn.map({ Secret($0) })
        {
            do throws(AdyenConfigError) {
                let config = try AdyenConfig(
                    merchantAccount: account, apiKey: key, url: url, webhookKeys: settings.secrets(.adyenHMACKey),
                    returnURL: settings.text(.adyenReturnURL) ?? "https://127.0.0.1/")
                let book = AdyenNotificationLog(
                    KeptAdyenNotifications(environment.notifications(of: name)))
                online = AdyenProvider(
                    config: config, transport: environment.transport, book: book, clock: environment.clock)
                receiver = AdyenWebhooks(config).map {
                    AdyenWebhookReceiver(webhooks: $0, book: book, merchantAccount: account)
                }
            } catch {
                throw ProviderModuleError(self, "\(error)")
            }
        }
        let terminal = try Self.terminal(settings, environment, online)
        guard online != nil || terminal != nil else { return nil }
        let reports = try Self.reports(settings, mode: online?.mode ?? .live, at: url)
        let source = online.map {
            AdyenStatementSource(provider: $0, config: reports, transport: environment.transport)
        }
        var clientKey: AdyenClientKey?
        if let text = settings.text(.adyenClientKey), let online {
            do throws(AdyenConfigError) { clientKey = try AdyenClientKey(text, in: online.mode) } catch {
                throw ProviderModuleError(self, "\(error)", next: "Correct \(Setting.adyenClientKey.variable).")
            }
        }
        return AdyenModule(
            online: online, receiver: receiver, terminal: terminal, url: url, source: source, clientKey: clientKey)
    }

    /// Returns the report user's configuration; `nil` if none is set. A local stand-in serves its own reports.
    private static func reports(
        _ settings: any SettingValues, mode: PaymentMode, at url: String?
    ) throws(ProviderModuleError) -> AdyenReportConfig? {
        guard let user = settings.text(.adyenReportUser), let password = settings.secret(.adyenReportPassword) else {
            return nil
        }
        let own = url.flatMap { Loopback.isURL($0) ? $0 : nil }
        let place = settings.text(.adyenReportURL) ?? own ?? AdyenReportConfig.url(of: mode)
        do throws(AdyenConfigError) {
            return try AdyenReportConfig(user: user, password: password, url: place)
        } catch {
            throw ProviderModuleError(self, "\(error)", next: "Check the report user and the address of its reports.")
        }
    }

    private static func terminal(
        _ settings: any SettingValues, _ environment: ProviderEnvironment, _ online: AdyenProvider?
    ) throws(ProviderModuleError) -> AdyenTerminalProvider? {
        guard let text = settings.text(.adyenTerminal) else { return nil }
        let (passphrase, key) = (settings.secret(.adyenTerminalPassphrase), settings.text(.adyenTerminalKey))
        let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
        let seal = AdyenTerminalSeal(passphrase: passphrase, key: key)
        guard parts.count == 2, (1...AdyenTerminal.longestTerminalName).contains(parts[0].utf8.count),
            (passphrase == nil) == (seal == nil)
        else {
            throw ProviderModuleError(
                self,
                "the terminal must be a name and an address, V400m-123456789@192.168.1.20:8443, with its key as "
                    + "mykey:1.", next: "Correct \(Setting.adyenTerminal.variable).")
        }
        let address = parts[1].contains("://") ? parts[1] : "https://\(parts[1])"
        var transport = environment.transport
        if let root = settings.text(.adyenTerminalRoot) {
            do { transport = try environment.transport(trustingDevicesOf: root) } catch {
                throw ProviderModuleError(self, "the root certificate \(root) cannot be read.")
            }
        }
        guard
            let client = AdyenTerminal(
                terminal: parts[0], till: "Till", url: address, seal: seal, transport: transport,
                clock: environment.clock)
        else {
            throw ProviderModuleError(self, "the terminal's address must be https; http is for localhost only.")
        }
        // Unencrypted, any device on the shop's network could change an amount.
        guard seal != nil || Loopback.isURL(address) else {
            throw ProviderModuleError(
                self, "the terminal needs the passphrase and the name of the key that it shares with us.")
        }
        return AdyenTerminalProvider(terminal: client, checkout: online, clock: environment.clock)
    }

    /// The mode, according to the Checkout API's address, else the terminal's.
    public var mode: PaymentMode { online?.mode ?? terminal?.mode ?? .live }
    /// The addresses of the Checkout API and of the reports. A terminal on the local network receives only encrypted
    /// messages.
    public var addresses: [String] {
        let checkout = online?.gateway.config
        let reports = source?.config
        return [
            checkout.map { "\($0.scheme)://\($0.authority)" }, reports.map { "\($0.scheme)://\($0.authority)" },
        ].compactMap { $0 }
    }
    /// The providers of typed cards and of terminal sales, as configured.
    public var providers: [any PaymentServiceProvider] {
        let both: [(any PaymentServiceProvider)?] = [online, terminal]
        return both.compactMap { $0 }
    }
    /// The receiver of webhooks; requires at least one HMAC key.
    public var webhooks: (any WebhookReceiver)? { receiver }
    /// The settlement details reports announced by webhooks.
    public var statements: (any StatementSource)? { source }
    /// The fields of Adyen's SDK in an app, with a client key. The counter's frame has its own.
    public var cardFields: ProviderCardFields? { clientKey?.cardFields }
    public var readers: (any ReaderFleet)? { terminal.map { AdyenTerminalFleet(terminal: $0) } }
    /// The findings on the Checkout API, its webhooks and the terminal.
    public var findings: [ProviderFinding] {
        var findings: [ProviderFinding] = []
        if online != nil {
            findings.append(ProviderFinding("Adyen is configured at \(url ?? "Adyen's test system")."))
            findings.append(
                receiver == nil
                    ? ProviderFinding(
                        "Adyen's webhooks are not set up, and only they say how a capture or a refund ended: set "
                            + "\(Setting.adyenHMACKey.variable).", isFine: false)
                    : ProviderFinding("Adyen's webhooks are verified."))
            if source?.config != nil {
                findings.append(
                    ProviderFinding("Adyen's settlement reports are fetched once its webhooks have announced them."))
            }
        }
        if let terminal {
            findings.append(ProviderFinding("Adyen's terminal \(terminal.terminal.terminal) takes payments."))
            if online == nil {
                findings.append(
                    ProviderFinding(
                        "Payments at the terminal cannot be refunded: \(AdyenModule.setUp)", isFine: false))
            }
        }
        return findings
    }
}

/// Receives Adyen's webhooks, and stores them before they are acknowledged because Adyen cannot be queried later.
struct AdyenWebhookReceiver: WebhookReceiver {
    let webhooks: AdyenWebhooks
    let book: AdyenNotificationLog
    /// The merchant account. A company-level webhook delivers the events of all accounts: those of other accounts are
    /// acknowledged and not stored.
    let merchantAccount: String

    var maximumBytes: Int { AdyenWebhooks.maximumBytes }
    var acknowledgment: WebhookAcknowledgment {
        WebhookAcknowledgment(contentType: "text/plain", body: AdyenWebhooks.accepted)
    }

    func events(in delivery: WebhookDelivery) async throws(WebhookRefusal) -> [WebhookEvent] {
        let notifications: [AdyenNotification]
        do throws(AdyenWebhookError) {
            notifications = try webhooks.verify(body: delivery.body).filter { $0.merchantAccount == merchantAccount }
        } catch {
            throw .refused(error.description, next: "Check the webhook's HMAC key at Adyen.")
        }
        do throws(AdyenNotificationLogError) {
            try await book.take(notifications)
            var events: [WebhookEvent] = []
            for notification in notifications {
                // An event of an unknown payment is recorded once the payment is known: Adyen also sends the payment's
                // own event.
                guard let attempt = try await book.ownAttempt(of: notification) else { continue }
                var isAfterSale = notification.isAfterSale
                let isCharge = notification.eventCode == .authorization && notification.success
                // Another payment of an attempt that has one: the payment is looked at once more.
                if isCharge { isAfterSale = try await book.paid(attempt).count > 1 }
                events.append(
                    WebhookEvent(
                        id: notification.name, payment: PaymentID(ofStep: attempt.rawValue), attempt: attempt,
                        isAfterSale: isAfterSale, isCharge: isCharge))
            }
            return events
        } catch {
            throw .later(error.description, code: "webhook_not_kept")
        }
    }
}

/// Adyen's notifications in the counter's notification store.
package struct KeptAdyenNotifications: AdyenNotificationStore {
    private let store: any NotificationStore

    package init(_ store: any NotificationStore) { self.store = store }

    package func keep(_ notifications: [AdyenNotification]) async throws(AdyenNotificationLogError) {
        let kept = notifications.map {
            KeptNotification(
                name: $0.name, reference: $0.merchantReference, payment: $0.about, document: $0.kept.bytes())
        }
        do throws(NotificationStoreError) { try await store.keep(kept) } catch { throw .notWritten }
    }

    package func named(_ reference: String) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        do throws(NotificationStoreError) {
            return Self.read(try await store.documents(reference: reference))
        } catch { throw .unreadable }
    }

    package func about(_ payment: String) async throws(AdyenNotificationLogError) -> [AdyenNotification] {
        do throws(NotificationStoreError) {
            return Self.read(try await store.documents(payment: payment))
        } catch { throw .unreadable }
    }

    private static func read(_ documents: [[UInt8]]) -> [AdyenNotification] {
        documents.compactMap { JSONValue(ifValid: $0).flatMap { AdyenNotification(kept: $0) } }
    }
}

extension AdyenTerminalSeal {
    /// Creates the key shared by terminal and till; `nil` without a passphrase or key name.
    /// - Parameter key: the name and version, `mykey:1`.
    package init?(passphrase: Secret<String>?, key: String?) {
        guard let passphrase, let key, let (name, version) = AdyenTerminalSeal.named(key) else { return nil }
        self.init(passphrase: passphrase, keyIdentifier: name, keyVersion: version)
    }

    /// Splits name and version of a key, `mykey:1`; the version defaults to 1.
    package static func named(_ key: String) -> (name: String, version: Int64)? {
        let parts = key.split(separator: ":", maxSplits: 1)
        guard let name = parts.first, !name.isEmpty, let version = parts.count == 2 ? Int64(parts[1]) : 1 else {
            return nil
        }
        return (String(name), version)
    }
}

extension Setting {
    package static let adyenURL = Setting(
        key: "adyen.url", option: "--adyen-url", kind: .text, defaultValue: "Adyen's test system",
        about: "Where Adyen's checkout interface is, without its version.")
    package static let adyenMerchantAccount = Setting(
        key: "adyen.merchant_account", kind: .text, about: "The merchant account at Adyen.")
    package static let adyenKey = Setting(key: "adyen.key", kind: .secret, about: "Adyen's API key.")
    package static let adyenKeyFile = Setting(
        key: "adyen.key_file", kind: .path, about: "The file with Adyen's API key.")
    package static let adyenClientKey = Setting(
        key: "adyen.client_key", kind: .text,
        about: "Adyen's client key, `test_…` or `live_…`, of the API key's mode: apps get it for Adyen's SDK.")
    package static let adyenHMACKey = Setting(
        key: "adyen.hmac_key", kind: .secret,
        about: "The HMAC key of Adyen's webhook in hexadecimal; two, separated by a comma, while it is rotated.")
    package static let adyenHMACKeyFile = Setting(
        key: "adyen.hmac_key_file", kind: .path, about: "The file with the HMAC key of Adyen's webhook.")
    package static let adyenReportUser = Setting(
        key: "adyen.report_user", kind: .text,
        about: "The report user at Adyen, report_123456@Company.Shop, who fetches settlement reports.")
    package static let adyenReportPassword = Setting(
        key: "adyen.report_password", kind: .secret, about: "The password of Adyen's report user.")
    package static let adyenReportPasswordFile = Setting(
        key: "adyen.report_password_file", kind: .path, about: "The file with the password of Adyen's report user.")
    package static let adyenReportURL = Setting(
        key: "adyen.report_url", kind: .text, defaultValue: "Adyen's Customer Area",
        about: "Where Adyen's reports are, scheme and host.")
    package static let adyenReturnURL = Setting(
        key: "adyen.return_url", kind: .text,
        about: "The return URL for a customer who was sent to the bank.")
    package static let adyenTerminal = Setting(
        key: "adyen.terminal", option: "--terminal", kind: .text,
        about: "A terminal of Adyen's on the local network: its name and address, V400m-123456789@192.168.1.20:8443.")
    package static let adyenTerminalPassphrase = Setting(
        key: "adyen.terminal_passphrase", kind: .secret,
        about: "The passphrase of the key that terminal and till share.")
    package static let adyenTerminalPassphraseFile = Setting(
        key: "adyen.terminal_passphrase_file", kind: .path,
        about: "The file with the passphrase of the terminal's key.")
    package static let adyenTerminalKey = Setting(
        key: "adyen.terminal_key", kind: .text, about: "The name and version of the terminal's key, mykey:1.")
    package static let adyenTerminalRoot = Setting(
        key: "adyen.terminal_root", kind: .path,
        about: "Adyen's root certificate for terminals, PEM. Without it the system's roots hold, and the name counts.")
}
