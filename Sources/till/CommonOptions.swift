import ArgumentParser
import Foundation
import TillCore
import TillServer

/// What every command takes.
struct CommonOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The journal's file. Also TILL_JOURNAL.", valueName: "file"))
    var journal: String?

    @Flag(name: .long, help: "Print one JSON object and nothing else.")
    var json = false

    @Option(name: .long, help: ArgumentHelp("The account. Also TILL_ACCOUNT.", valueName: "name"))
    var account: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The settings file, JSON. Also TILL_CONFIG; usually till.json, if there is one here.", valueName: "file"))
    var config: String?

    /// The settings that hold, with what this command line says; an option that was not given is `nil`.
    func settings(_ more: [Setting: String?] = [:]) throws(SettingsError) -> Settings {
        var given: [String: String] = [:]
        for (setting, text) in more { given[setting.key] = text }
        given[Setting.journal.key] = journal
        given[Setting.account.key] = account
        return try Settings(commandLine: given, file: config)
    }

    /// The account that the command works for.
    var accountID: AccountID {
        // What cannot be used was refused when the counter was opened.
        AccountID(rawValue: (try? settings().text(.account)) ?? AccountID.main.rawValue)
    }
}

/// Who moves the money.
struct ProviderOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "sandbox, stripe, paypal, braintree, adyen or cash. Also TILL_PROVIDER; usually sandbox.",
            valueName: "name"))
    var provider: String?

    @Option(name: .long, help: ArgumentHelp("Where Stripe's interface is. Also TILL_STRIPE_URL.", valueName: "url"))
    var stripeURL: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Stripe's secret key. Better: TILL_STRIPE_KEY or TILL_STRIPE_KEY_FILE, which other users cannot see.",
            valueName: "key"))
    var stripeKey: String?

    @Option(name: .long, help: ArgumentHelp("How long the sandbox takes for each call, as 50ms.", valueName: "time"))
    var sandboxLatency: String?

    @OptionGroup var cards: CardProviderOptions

    /// What these options say.
    var given: [Setting: String?] {
        [
            .provider: provider, .stripeURL: stripeURL, .stripeKey: stripeKey, .sandboxLatency: sandboxLatency,
            .payPalURL: cards.paypalURL, .payPalClientID: cards.paypalClientID, .payPalSecret: cards.paypalSecret,
            .braintreeURL: cards.braintreeURL, .adyenURL: cards.adyenURL,
            .adyenTerminal: cards.terminal,
        ]
    }

    /// All of it as the counter takes it.
    func counterOptions(
        _ common: CommonOptions, _ more: [Setting: String?] = [:]
    ) throws(SettingsError) -> CounterOptions {
        try CounterOptions(try common.settings(given.merging(more) { $1 }))
    }
}

extension CounterOptions {
    /// The options that settings lead to.
    init(_ settings: Settings) throws(SettingsError) {
        self.init(journal: settings.text(.journal) ?? CounterOptions.defaultJournal)
        stripeKey = settings.secret(.stripeKey)
        if let url = settings.text(.stripeURL) { stripeURL = url }
        stripeNetworkPriority = settings.text(.stripeNetworkPriority)
        receipts = try ReceiptSetup(settings)
        if let latency = settings.span(.sandboxLatency) { sandboxLatency = latency }
        stripeWebhookSecrets = (settings.secret(.stripeWebhookSecret)?.reveal() ?? "")
            .split(separator: ",").prefix(2).map { Secret($0.trimmingCharacters(in: .whitespaces)) }
        do throws(IdentifierError) {
            if let name = settings.text(.account) { account = try AccountID(validating: name) }
            if let name = settings.text(.provider) { provider = try ProviderName(validating: name) }
        } catch {
            throw .wrongValue(place: "The account or the provider", reason: "cannot be used: \(error)")
        }
        // A test server on this machine takes any test key, so none need be typed.
        if stripeKey == nil, provider.rawValue == "stripe", Loopback.isURL(stripeURL) {
            stripeKey = Secret("sk_test_local")
        }
        offline = try OfflineOptions(settings, journal: journal)
        payPal = PayPalOptions(settings, isChosen: provider.rawValue == "paypal")
        braintree = BraintreeOptions(settings, isChosen: provider.rawValue == "braintree")
        adyen = AdyenOptions(settings, isChosen: provider.rawValue == "adyen")
        adyenTerminal = try AdyenTerminalOptions(settings)
    }
}
