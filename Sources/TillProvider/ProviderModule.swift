public import TillCore

/// All that one payment service provider brings to a counter: its settings, its ways to move money, what receives its
/// webhooks, its card readers.
///
/// A provider's room exports one type that conforms. A counter is given the list of these types, makes
/// those that are configured, and knows none of them otherwise: a new provider is one room and one line
/// in that list (`docs/ADDING_A_PROVIDER.md`).
///
/// A module is shared by all requests of a process; its members may be called at any time and at once.
public protocol ProviderModule: Sendable {
    /// What `--provider` says for it. Also the first part of its settings' keys and the last part of the address that
    /// takes its webhooks, `/webhooks/stripe`: lower-case letters, digits and `_`.
    static var name: ProviderName { get }
    /// Its name for people.
    static var title: String { get }
    /// Everything that a shop can set for it, in the order in which people read it.
    static var settings: [Setting] { get }
    /// The settings without which it is not configured.
    static var required: [Setting] { get }
    /// The provider's own hosts, in small letters: `api.stripe.com`, or `.paypal.com` for all below it.
    static var hosts: [String] { get }
    /// The codes of its answers and what they say about the money: the tables that its adapter decides by.
    static var codes: [ProviderCodeTable] { get }
    /// The forms of files in which it gives statements.
    static var statementFormats: [any StatementFormat] { get }

    /// Makes it. Asks nobody for anything: a counter starts without a network.
    /// - Returns: `nil` where it is not configured.
    /// - Throws: when it is configured and cannot be used as it is.
    static func make(
        _ settings: any SettingValues, in environment: ProviderEnvironment
    ) throws(ProviderModuleError) -> Self?

    /// Whether its credentials move real money. In doubt they do.
    var mode: PaymentMode { get }
    /// Every address that its keys and cards are sent to over the internet, such as `https://api.stripe.com`. A counter
    /// opens only if each is one of ``hosts``, or one that its operator has named.
    var addresses: [String] { get }
    /// Its ways to move money. The first has the module's name; others are its readers', whose names go on behind a
    /// dash (`stripe-terminal`): the ledger counts their money with the first's.
    var providers: [any PaymentServiceProvider] { get }
    /// What receives its webhooks; `nil` while they cannot be verified.
    var webhooks: (any WebhookReceiver)? { get }
    /// Its card readers, if it has any that the counter drives.
    var readers: (any ReaderFleet)? { get }
    /// What an app with the provider's own SDK is given, if there is one.
    var devices: (any DeviceSales)? { get }
    /// Lists the provider's charges; `nil` where it has no list: after a restore a person must then say
    /// that none is missing.
    var charges: (any ChargeListing)? { get }
    /// Its statements over its interface, if they are read from there.
    var statements: (any StatementSource)? { get }
    /// What `till doctor` says about it. Checks only what is set up, and asks nobody.
    var findings: [ProviderFinding] { get }
    /// What its answers have shown to be missing at the provider although it sells, a sentence each.
    func warnings() async -> [String]
    /// How it takes the tokens of Apple Pay; empty: it takes none, and no page offers Apple Pay with it.
    var walletHandovers: Set<WalletHandover> { get }
    /// How it takes wallets' tokens where it is a stand-in on this machine; `nil` where it is not.
    var standInWallet: WalletHandover? { get }

    /// Ends what it has begun. Its transports are the counter's, which closes them.
    func shutdown() async
}

extension ProviderModule {
    /// By default a module has none.
    public static var codes: [ProviderCodeTable] { [] }
    /// By default a module has none.
    public static var statementFormats: [any StatementFormat] { [] }
    /// By default a module has none.
    public var statements: (any StatementSource)? { nil }
    /// By default a module has none.
    public var webhooks: (any WebhookReceiver)? { nil }
    /// By default a module has none.
    public var readers: (any ReaderFleet)? { nil }
    /// By default a module has none.
    public var devices: (any DeviceSales)? { nil }
    /// By default a module has none.
    public var charges: (any ChargeListing)? { nil }
    /// That it is configured, and whether its webhooks are.
    public var findings: [ProviderFinding] { [ProviderFinding("\(Self.title) is configured.")] }
    /// By default a module has none.
    public var walletHandovers: Set<WalletHandover> { [] }
    /// By default nothing is missing.
    public func warnings() async -> [String] { [] }
    /// By default no stand-in takes a wallet's token.
    public var standInWallet: WalletHandover? { nil }
    public func shutdown() async {}

    /// What to do so that it is configured.
    public static var setUp: String { "Set \(required.map(\.variable).joined(separator: " and "))." }
}

/// How a provider takes the token of a wallet such as Apple Pay.
public enum WalletHandover: Hashable, Sendable {
    /// As it came; the provider opens it.
    case sealed
    case opened
}

/// One thing that `till doctor` says.
public struct ProviderFinding: Hashable, Sendable {
    /// Nothing needs to be done about it.
    public let isFine: Bool
    public let text: String

    public init(_ text: String, isFine: Bool = true) {
        self.text = text
        self.isFine = isFine
    }
}

/// Why a provider that is configured cannot be used. Nobody was asked for money.
public struct ProviderModuleError: ExplainedError, Hashable {
    /// The stable word: `stripe_not_configured`.
    public let code: String
    public let what: String
    /// What to do next.
    public let next: String
    /// Nobody was asked for money.
    public var moneyMoved: MoneyMoved { .no }

    /// What a module learns about itself at its start.
    /// - Parameters:
    ///   - module: whose settings they are.
    ///   - reason: the sentence; it never repeats a secret.
    public init(
        _ module: any ProviderModule.Type, _ reason: String, next: String = "Check the key and the address."
    ) {
        code = "\(module.name)_not_configured"
        what = "\(module.title) is not usable: \(reason)"
        self.next = next
    }
}
