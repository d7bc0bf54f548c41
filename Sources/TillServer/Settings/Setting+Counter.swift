public import TillProvider

extension Setting {
    public static let journal = Setting(
        key: "journal", option: "--journal", kind: .path, defaultValue: CounterOptions.defaultJournal,
        about: "The journal: a file, or the address of a PostgreSQL database.")
    /// The account that the command line works for.
    public static let account = Setting(
        key: "account", option: "--account", kind: .text, defaultValue: "main",
        about: "The account of the command line.")
    /// Who moves the money.
    public static let provider = Setting(
        key: "provider", option: "--provider", kind: .text, defaultValue: "sandbox",
        about: "Who moves the money: sandbox, cash, or the name of a provider; with a live key that provider.")
    /// To whom else keys and cards may be sent.
    public static let providerHosts = Setting(
        key: "provider_hosts", option: "--provider-hosts", kind: .hosts,
        about:
            "Hosts beside the providers' own that may be sent their keys and cards, separated by commas. Not in the "
            + "settings file."
    )
    /// Whether real money moves.
    public static let mode = Setting(
        key: "mode", kind: .choice(["test", "live"]),
        about: "Whether real money moves, at a counter without a provider's keys; with them the keys decide.")
    /// What distinguishes order numbers that are reused.
    public static let orderScope = Setting(
        key: "order_scope", option: nil, kind: .text, defaultValue: nil,
        about:
            "What distinguishes order numbers that are reused: the year, or the shop. Change it when numbering "
            + "restarts."
    )
    /// How long the sandbox takes.
    public static let sandboxLatency = Setting(
        key: "sandbox.latency", option: "--sandbox-latency", kind: .span, defaultValue: "0ms",
        about: "How long the sandbox takes for each call.")
    /// Where the counter listens.
    public static let host = Setting(
        key: "host", option: "--host", kind: .text, defaultValue: "127.0.0.1", about: "Where the counter listens.")
    /// The port that the counter takes.
    public static let port = Setting(
        key: "port", option: "--port", kind: .number(0...65_535), defaultValue: "8080",
        about: "The counter's port; 0 takes a free one.")
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
    /// Whether settled payments are queried now and then.
    public static let afterSalePoll = Setting(
        key: "aftersale.poll", option: nil, kind: .choice(["on", "off"]), defaultValue: "on",
        about: "Whether settled payments are queried for 120 days, in case no webhook reported a dispute or a refund.")
    /// For how long a stalled counter keeps its payments.
    public static let leaseSeconds = Setting(
        key: "lease.seconds", option: nil, kind: .number(5...120), defaultValue: "30",
        about:
            "How many seconds a process that is stopped or hangs keeps its payments; then others on its journal take "
            + "over."
    )
    /// Where a copy of the journal is kept.
    public static let copyTo = Setting(
        key: "copy_to", option: "--copy-to", kind: .path, defaultValue: nil,
        about: "A folder in which till serve keeps a copy of the journal, for till restore.")
    /// The key that signs heads of the journal's chain.
    public static let journalSigningKey = Setting(
        key: "journal_signing_key", option: nil, kind: .path, defaultValue: nil,
        about: "The file with the key that signs the journal's head, of `till journal head --new-key`; backups get it.")
    public static let bodyBytes = Setting(
        key: "limits.body_bytes", option: nil, kind: .number(1_024...16_777_216), defaultValue: "1048576",
        about: "The longest request body that the counter takes, in bytes.")
    /// How long the head of a request may take.
    public static let headTime = Setting(
        key: "limits.head_time", option: nil, kind: .span, defaultValue: "10s",
        about: "How long the head of a request may take to come.")
    /// How long the body of a request may take.
    public static let bodyTime = Setting(
        key: "limits.body_time", option: nil, kind: .span, defaultValue: "20s",
        about: "How long the body of a request may take to come.")
    /// How long a connection may be silent.
    public static let idleTime = Setting(
        key: "limits.idle_time", option: nil, kind: .span, defaultValue: "1min",
        about: "How long a connection may be idle between requests.")
    /// How long a session of the page lasts without a request.
    public static let sessionIdle = Setting(
        key: "session.idle_minutes", option: nil, kind: .number(5...10_080), defaultValue: "720",
        about: "After how many minutes without a request a session of the page ends.")
    /// How long a session of the page lasts in all.
    public static let sessionDays = Setting(
        key: "session.days", option: nil, kind: .number(1...90), defaultValue: "7",
        about: "How many days after signing in a session of the page ends.")
    /// How long whoever is signed in stays so.
    public static let staffLock = Setting(
        key: "staff.lock_minutes", option: nil, kind: .number(1...720), defaultValue: "5",
        about: "After how many minutes without a request the page is locked and asks for a PIN again.")
    /// How short a PIN may be.
    public static let staffPIN = Setting(
        key: "staff.pin_digits", option: nil, kind: .number(4...12), defaultValue: "6",
        about: "Digits that a PIN of the staff has at least; ASVS 5 wants 8.")
    /// Whether the page is opened in the browser.
    public static let openBrowser = Setting(
        key: "open_browser", option: nil, kind: .choice(["true", "false"]), defaultValue: "true",
        about: "Whether till serve opens its page in the browser, on a terminal of a machine with a desktop.")
    /// Whether metrics need a key.
    public static let metricsOpen = Setting(
        key: "metrics.open", option: nil, kind: .choice(["true", "false"]), defaultValue: "false",
        about: "Whether anybody who reaches the counter may read its metrics; else they need a key.")
    public static let streams = Setting(
        key: "limits.streams", option: nil, kind: .number(1...65_536), defaultValue: "256",
        about: "Streams of events that are open at once.")
    /// Whose the hardware is, too.
    public static let hardwareAccounts = Setting(
        key: "hardware.accounts", option: nil, kind: .text, defaultValue: nil,
        about:
            "Accounts, separated by commas, that use the counter's readers and printers and see its metrics, beside "
            + "its own."
    )
    /// How long guessing is held up.
    public static let guessDelay = Setting(
        key: "limits.guess_delay", option: nil, kind: .span, defaultValue: "2s",
        about: "How long a request with an unknown key waits at most, when many such come; a right key never waits.")

    /// Every setting of a counter with these providers, in the order in which people read them.
    public static func all(_ modules: [any ProviderModule.Type]) -> [Setting] {
        counter + listening + receipts + offline + modules.flatMap { $0.settings }
    }

    private static let counter: [Setting] = [
        .journal, .account, .provider, .providerHosts, .mode, .orderScope, .sandboxLatency, .host, .port, .apiKey,
        .apiKeyFile,
        .logLevel, .afterSalePoll, .leaseSeconds, .copyTo, .journalSigningKey, .bodyBytes, .headTime, .bodyTime,
        .idleTime, .streams, .guessDelay, .hardwareAccounts, .sessionIdle, .sessionDays, .staffLock, .staffPIN,
        .openBrowser,
        .metricsOpen, .statsDHost, .statsDPort, .statsDPrefix,
    ]
}
