import ArgumentParser
import Configuration
import TillCore
import TillServer

/// What every command takes.
struct CommonOptions: ParsableArguments {
    @Option(name: .long, help: "The journal's file. Also TILL_JOURNAL.")
    var journal: String?

    @Flag(name: .long, help: "Print one JSON object and nothing else.")
    var json = false

    @Option(name: .long, help: "The account. Also TILL_ACCOUNT.")
    var account: String?

    /// The account that the command works for.
    var accountID: AccountID {
        account.map(AccountID.init(rawValue:)) ?? CommonOptions.environment("account").map(AccountID.init(rawValue:))
            ?? .main
    }

    /// A setting from the environment: `stripe.key` is `TILL_STRIPE_KEY`.
    static func environment(_ key: String, isSecret: Bool = false) -> String? {
        ConfigReader(provider: EnvironmentVariablesProvider()).string(
            forKey: ConfigKey("till." + key), isSecret: isSecret)
    }
}

/// Who moves the money.
struct ProviderOptions: ParsableArguments {
    @Option(name: .long, help: "sandbox, stripe, paypal or cash. Also TILL_PROVIDER.")
    var provider: String?

    @Option(name: .long, help: "Where Stripe's interface is. Also TILL_STRIPE_URL.")
    var stripeURL: String?

    @Option(name: .long, help: "Stripe's secret key. Better: TILL_STRIPE_KEY, which other users can not see.")
    var stripeKey: String?

    @Option(name: .long, help: "How long the sandbox takes for each call, as 50ms.")
    var sandboxLatency: String?

    @OptionGroup var cards: CardProviderOptions

    /// The provider's name.
    var name: ProviderName {
        ProviderName(rawValue: provider ?? CommonOptions.environment("provider") ?? "sandbox")
    }

    /// All of it as the counter takes it.
    func counterOptions(_ common: CommonOptions) throws -> CounterOptions {
        var options = CounterOptions(
            journal: common.journal ?? CommonOptions.environment("journal") ?? CounterOptions.defaultJournal)
        let key = stripeKey ?? CommonOptions.environment("stripe.key", isSecret: true)
        if let key { options.stripeKey = Secret(key) }
        if let url = stripeURL ?? CommonOptions.environment("stripe.url") { options.stripeURL = url }
        // A test server on this machine takes any test key, so none need be typed.
        if options.stripeKey == nil, name.rawValue == "stripe", isLoopback(options.stripeURL) {
            options.stripeKey = Secret("sk_test_local")
        }
        if let secret = CommonOptions.environment("stripe.webhook.secret", isSecret: true) {
            options.stripeWebhookSecrets = secret.split(separator: ",").prefix(2).map { Secret(String($0)) }
        }
        cards.apply(to: &options, chosen: name)
        if let text = sandboxLatency {
            guard text.hasSuffix("ms"), let count = Int64(text.dropLast(2)), (0...600_000).contains(count) else {
                throw ValidationError("The sandbox's latency is given in whole milliseconds, as 50ms.")
            }
            options.sandboxLatency = .milliseconds(count)
        }
        return options
    }

    private func isLoopback(_ url: String) -> Bool {
        ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains { url.hasPrefix($0) }
    }
}
