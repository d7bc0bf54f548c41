/// One thing that a shop can set, and every place where it can be set: an option of the command line before a variable
/// of the environment before the settings file before what is usual.
public struct Setting: Hashable, Sendable {
    /// What a value must look like.
    public enum Kind: Hashable, Sendable {
        /// Any text of one line.
        case text
        /// A file or folder.
        case path
        /// A whole number in a range.
        case number(ClosedRange<Int>)
        /// A time, as `50ms`, `30s` or `2min`, up to a day.
        case span
        /// One of these words.
        case choice([String])
        /// A secret: from the environment, or from a file that another setting names; never from the settings file.
        case secret
        /// Text of several lines, with `\\n` between.
        case lines
        /// Names and values, as `SIRET=73282932000074; NAF=4719B`.
        case pairs
        /// A country's two letters.
        case country
        /// A language, usually with a region, as `fr_CA`.
        case locale
        /// A time zone, as `Europe/Berlin`.
        case timeZone
        /// An address on the web, without a query.
        case webAddress
    }

    /// Its name in the settings file, with a point for each level: `stripe.url`.
    public let key: String
    /// Its option, such as `--stripe-url`; `nil` if there is none.
    public let option: String?
    /// What a value must look like.
    public let kind: Kind
    /// What holds if nobody sets it, for people; `nil` if nothing does.
    public let defaultValue: String?
    /// What it is for, in one sentence.
    public let about: String

    /// Its variable in the environment: `TILL_STRIPE_URL`.
    public var variable: String {
        "TILL_" + key.uppercased().replacing(".", with: "_")
    }
}

extension Setting {
    /// The journal's file.
    public static let journal = Setting(
        key: "journal", option: "--journal", kind: .path, defaultValue: CounterOptions.defaultJournal,
        about: "The journal's file.")
    /// The account that the command line works for.
    public static let account = Setting(
        key: "account", option: "--account", kind: .text, defaultValue: "main",
        about: "The account of the command line.")
    /// Who moves the money.
    public static let provider = Setting(
        key: "provider", option: "--provider", kind: .text, defaultValue: "sandbox",
        about: "Who moves the money: sandbox, stripe, paypal, braintree, adyen or cash.")
    /// How long the sandbox takes.
    public static let sandboxLatency = Setting(
        key: "sandbox.latency", option: "--sandbox-latency", kind: .span, defaultValue: "0ms",
        about: "How long the sandbox takes for each call.")
    /// Where Stripe is.
    public static let stripeURL = Setting(
        key: "stripe.url", option: "--stripe-url", kind: .text, defaultValue: "https://api.stripe.com",
        about: "Where Stripe's interface is.")
    /// Stripe's secret key.
    public static let stripeKey = Setting(
        key: "stripe.key", option: "--stripe-key", kind: .secret, defaultValue: nil, about: "Stripe's secret key.")
    /// The file with Stripe's secret key.
    public static let stripeKeyFile = Setting(
        key: "stripe.key_file", option: nil, kind: .path, defaultValue: nil, about: "The file with Stripe's secret key."
    )
    /// Stripe's webhook secrets.
    public static let stripeWebhookSecret = Setting(
        key: "stripe.webhook_secret", option: nil, kind: .secret, defaultValue: nil,
        about: "Stripe's webhook secret; two with a comma between while one is being replaced.")
    /// The file with Stripe's webhook secrets.
    public static let stripeWebhookSecretFile = Setting(
        key: "stripe.webhook_secret_file", option: nil, kind: .path, defaultValue: nil,
        about: "The file with Stripe's webhook secret; two lines for two.")
    /// The network of a card with two.
    public static let stripeNetworkPriority = Setting(
        key: "stripe.network_priority", option: nil, kind: .choice(["domestic", "international"]), defaultValue: nil,
        about: "Which network of a card with two goes first at a reader: domestic is eftpos or Cartes Bancaires.")
    /// Where PayPal is.
    public static let payPalURL = Setting(
        key: "paypal.url", option: "--paypal-url", kind: .text, defaultValue: "https://api-m.sandbox.paypal.com",
        about: "Where PayPal's interface is.")
    /// PayPal's client id.
    public static let payPalClientID = Setting(
        key: "paypal.client_id", option: "--paypal-client-id", kind: .text, defaultValue: nil,
        about: "PayPal's client id.")
    /// PayPal's secret.
    public static let payPalSecret = Setting(
        key: "paypal.secret", option: "--paypal-secret", kind: .secret, defaultValue: nil, about: "PayPal's secret.")
    /// The file with PayPal's secret.
    public static let payPalSecretFile = Setting(
        key: "paypal.secret_file", option: nil, kind: .path, defaultValue: nil, about: "The file with PayPal's secret.")
    /// The webhook's id at PayPal.
    public static let payPalWebhookID = Setting(
        key: "paypal.webhook_id", option: nil, kind: .text, defaultValue: nil,
        about: "The webhook's id at PayPal; without it no webhook of PayPal's is believed.")
    /// Where the counter listens.
    public static let host = Setting(
        key: "host", option: "--host", kind: .text, defaultValue: "127.0.0.1", about: "Where the counter listens.")
    /// The port that the counter takes.
    public static let port = Setting(
        key: "port", option: "--port", kind: .number(0...65_535), defaultValue: "8080",
        about: "The counter's port; 0 takes a free one.")
    /// The shop's name.
    public static let store = Setting(
        key: "store", option: "--store", kind: .text, defaultValue: "Till", about: "The shop's name on receipts.")
    /// A key for the account.
    public static let apiKey = Setting(
        key: "api_key", option: "--api-key", kind: .secret, defaultValue: nil,
        about: "A key for the account, beside those of `till keys create`.")
    /// The file with a key for the account.
    public static let apiKeyFile = Setting(
        key: "api_key_file", option: nil, kind: .path, defaultValue: nil, about: "The file with a key for the account.")
    /// How much the counter says.
    public static let logLevel = Setting(
        key: "log.level", option: nil,
        kind: .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), defaultValue: "warning",
        about: "How much the counter writes to its log.")
    /// The longest body.
    public static let bodyBytes = Setting(
        key: "limits.body_bytes", option: nil, kind: .number(1_024...16_777_216), defaultValue: "1048576",
        about: "The longest request body that the counter takes, in bytes.")
    /// How long the head of a request may take.
    public static let headTime = Setting(
        key: "limits.head_time", option: nil, kind: .span, defaultValue: "10s",
        about: "How long the head of a connection's first request may take to come.")
    /// How long the body of a request may take.
    public static let bodyTime = Setting(
        key: "limits.body_time", option: nil, kind: .span, defaultValue: "20s",
        about: "How long the body of a request may take to come.")
    /// How long a connection may be silent.
    public static let idleTime = Setting(
        key: "limits.idle_time", option: nil, kind: .span, defaultValue: "1min",
        about: "How long a connection may say nothing.")
    /// Streams of events.
    public static let streams = Setting(
        key: "limits.streams", option: nil, kind: .number(1...65_536), defaultValue: "256",
        about: "Streams of events that are open at once.")

    /// Every setting, in the order in which people read them.
    public static let all: [Setting] = counter + receipts + offline

    private static let counter: [Setting] = [
        .journal, .account, .provider, .sandboxLatency, .stripeURL, .stripeKey, .stripeKeyFile,
        .stripeWebhookSecret, .stripeWebhookSecretFile, .stripeNetworkPriority, .payPalURL, .payPalClientID,
        .payPalSecret, .payPalSecretFile, .payPalWebhookID, .braintreeURL, .braintreeMerchantID, .braintreePublicKey,
        .braintreePrivateKey, .braintreePrivateKeyFile, .adyenURL, .adyenMerchantAccount, .adyenKey, .adyenKeyFile,
        .adyenHMACKey, .adyenHMACKeyFile, .adyenReturnURL, .adyenTerminal, .adyenTerminalPassphrase,
        .adyenTerminalPassphraseFile,
        .adyenTerminalKey, .adyenTerminalRoot, .host, .port, .apiKey, .apiKeyFile, .logLevel, .bodyBytes,
        .headTime, .bodyTime, .idleTime, .streams, .statsDHost, .statsDPort, .statsDPrefix,
    ]
}
