public import TillCore
public import TillStatements

/// The integration of one payment service provider: settings, payment providers, webhook receiver, card readers.
///
/// Each provider's target exports one conforming type. A counter receives the list of these types, creates the
/// configured ones, and has no other knowledge of them: a new provider is one target and one line in that list
/// (`docs/ADDING_A_PROVIDER.md`).
///
/// A module is shared by all requests of a process; its members may be called at any time and concurrently.
public protocol ProviderModule: Sendable {
    /// The value of `--provider`. Also the prefix of its settings keys and the last component of its webhook path,
    /// `/webhooks/stripe`: lower-case letters, digits and `_`.
    static var name: ProviderName { get }
    /// The display name.
    static var title: String { get }
    /// All settings, in display order.
    static var settings: [Setting] { get }
    /// The settings required for the provider to be configured.
    static var required: [Setting] { get }
    /// The provider's own hosts, in lower case: `api.stripe.com`, or `.paypal.com` for all subdomains.
    static var hosts: [String] { get }
    /// The provider's response codes and their meaning for the money: the tables that its adapter uses.
    static var codes: [ProviderCodeTable] { get }
    /// The file formats of the provider's statements.
    static var statementFormats: [any StatementFormat] { get }
    /// The forms of Apple Pay tokens, among those it takes, that were never tried against the provider's real service.
    static var unverifiedHandovers: Set<WalletHandover> { get }

    /// Creates the module. Makes no network calls: a counter starts without a network.
    /// - Returns: the module, or `nil` if it is not configured.
    /// - Throws: an error if the configuration is unusable.
    static func make(
        _ settings: any SettingValues, in environment: ProviderEnvironment
    ) throws(ProviderModuleError) -> Self?

    /// The mode of the credentials; live in case of doubt.
    var mode: PaymentMode { get }
    /// Every internet address that keys and cards are sent to, such as `https://api.stripe.com`. A counter starts only
    /// if each is one of ``hosts`` or named by the operator.
    var addresses: [String] { get }
    /// The payment providers. The first has the module's name; the others are for readers, with a dash and a suffix
    /// (`stripe-terminal`). The ledger counts their money together with the first one's.
    var providers: [any PaymentServiceProvider] { get }
    /// The receiver of webhooks; `nil` while they cannot be verified.
    var webhooks: (any WebhookReceiver)? { get }
    /// The card readers, if the counter drives any.
    var readers: (any ReaderFleet)? { get }
    /// Sales on devices driven by the provider's own SDK, if supported.
    var devices: (any DeviceSales)? { get }
    /// The list of the provider's charges; `nil` if the provider has none, in which case the operator must confirm
    /// after a restore that no charge is missing.
    var charges: (any ChargeListing)? { get }
    /// The statements, if they are available over the provider's API.
    var statements: (any StatementSource)? { get }
    /// The findings reported by `till doctor`. Checks only the configuration and makes no network calls.
    var findings: [ProviderFinding] { get }
    /// Returns features found missing on the provider account although payments work, one sentence each.
    func warnings() async -> [String]
    /// The supported forms of Apple Pay tokens; empty if unsupported, in which case no page offers Apple Pay with this
    /// provider.
    var walletHandovers: Set<WalletHandover> { get }
    /// The form of wallet tokens for a local stand-in; `nil` for a real one.
    var standInWallet: WalletHandover? { get }
    /// The provider's own card fields; `nil` if it has none, or lacks a setting for them.
    var cardFields: ProviderCardFields? { get }

    /// Stops work in progress. The transports belong to the counter, which closes them.
    func shutdown() async
}

extension ProviderModule {
    /// An empty list by default.
    public static var codes: [ProviderCodeTable] { [] }
    /// An empty list by default.
    public static var statementFormats: [any StatementFormat] { [] }
    /// An empty set by default.
    public static var unverifiedHandovers: Set<WalletHandover> { [] }
    /// `nil` by default.
    public var statements: (any StatementSource)? { nil }
    /// `nil` by default.
    public var webhooks: (any WebhookReceiver)? { nil }
    /// `nil` by default.
    public var readers: (any ReaderFleet)? { nil }
    /// `nil` by default.
    public var devices: (any DeviceSales)? { nil }
    /// `nil` by default.
    public var charges: (any ChargeListing)? { nil }
    /// By default, one finding: the provider is configured.
    public var findings: [ProviderFinding] { [ProviderFinding("\(Self.title) is configured.")] }
    /// An empty set by default.
    public var walletHandovers: Set<WalletHandover> { [] }
    /// Returns no warnings by default.
    public func warnings() async -> [String] { [] }
    /// `nil` by default.
    public var standInWallet: WalletHandover? { nil }
    /// `nil` by default.
    public var cardFields: ProviderCardFields? { nil }
    public func shutdown() async {}

    /// The instruction that configures the provider.
    public static var setUp: String { "Set \(required.map(\.variable).joined(separator: " and "))." }
}

/// The form in which a provider takes the token of a wallet such as Apple Pay.
public enum WalletHandover: Hashable, Sendable {
    /// The encrypted token, decrypted by the provider.
    case sealed
    case opened
}

/// A finding of `till doctor`.
public struct ProviderFinding: Hashable, Sendable {
    /// `true` if no action is needed.
    public let isFine: Bool
    public let text: String

    public init(_ text: String, isFine: Bool = true) {
        self.text = text
        self.isFine = isFine
    }
}

/// An error for a configured provider that is unusable. No payment request was sent.
public struct ProviderModuleError: ExplainedError, Hashable {
    /// The stable error code: `stripe_not_configured`.
    public let code: String
    public let what: String
    /// The recommended next step.
    public let next: String
    /// Always `no`: no payment request was sent.
    public var moneyMoved: MoneyMoved { .no }

    /// Creates the error of a module that finds its configuration unusable at startup.
    /// - Parameters:
    ///   - module: the module with the unusable settings.
    ///   - reason: the sentence; it never repeats a secret.
    public init(
        _ module: any ProviderModule.Type, _ reason: String, next: String = "Check the key and the address."
    ) {
        code = "\(module.name)_not_configured"
        what = "\(module.title) is not usable: \(reason)"
        self.next = next
    }
}
