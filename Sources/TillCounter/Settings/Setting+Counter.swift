public import TillProvider

extension Setting {
    public static let journal = Setting(
        key: "journal", option: "--journal", kind: .path, defaultValue: CounterOptions.defaultJournal,
        about: "The journal: a file, or the address of a PostgreSQL database.")
    /// The account of the command line.
    public static let account = Setting(
        key: "account", option: "--account", kind: .text, defaultValue: "main",
        about: "The account of the command line.")
    /// The payment provider.
    public static let provider = Setting(
        key: "provider", option: "--provider", kind: .text, defaultValue: "sandbox",
        about: "Who moves the money: sandbox, cash, or the name of a provider; with a live key that provider.")
    /// Additional hosts that may receive the providers' keys and cards.
    public static let providerHosts = Setting(
        key: "provider_hosts", option: "--provider-hosts", kind: .hosts,
        about:
            "Hosts beside the providers' own that may be sent their keys and cards, separated by commas. Not in the "
            + "settings file."
    )
    /// The payment mode: test, or live with real money.
    public static let mode = Setting(
        key: "mode", kind: .choice(["test", "live"]),
        about: "Whether real money moves, at a counter without a provider's keys; with them the keys decide.")
    /// The scope of order numbers, for numbering that restarts.
    public static let orderScope = Setting(
        key: "order_scope", option: nil, kind: .text, defaultValue: nil,
        about:
            "What distinguishes order numbers that are reused: the year, or the shop. Change it when numbering "
            + "restarts."
    )
    /// The largest difference that needs no reason at an opening or a close.
    public static let dayDifferenceLimit = Setting(
        key: "day.difference_limit", option: nil, kind: .number(0...1_000_000_000), defaultValue: "500",
        about:
            "The largest difference of the cash drawer, in minor units, that needs no reason at an opening or a close.")
    /// The retention of customers' contacts, in days.
    public static let contactDays = Setting(
        key: "contacts.retention_days", option: nil, kind: .number(1...3_650), defaultValue: nil,
        about:
            "After how many days the customer and the note of an order, and the account of a guest, are erased. "
            + "Without it booked orders keep them, and paid Apple Pay baskets and guests have 180 days."
    )
    /// The simulated latency of the sandbox.
    public static let sandboxLatency = Setting(
        key: "sandbox.latency", option: "--sandbox-latency", kind: .span, defaultValue: "0ms",
        about: "How long the sandbox takes for each call.")
    /// The address on which the counter listens.
    public static let host = Setting(
        key: "host", option: "--host", kind: .text, defaultValue: ListenAddress.standard.host,
        about: "Where the counter listens.")
    /// The port on which the counter listens.
    public static let port = Setting(
        key: "port", option: "--port", kind: .number(0...65_535), defaultValue: String(ListenAddress.standard.port),
        about: "The counter's port; 0 takes a free one.")
    public static let store = Setting(
        key: "store", option: "--store", kind: .text, defaultValue: "Till", about: "The shop's name on receipts.")
    /// An API key for the account.
    public static let apiKey = Setting(
        key: "api_key", option: "--api-key", kind: .secret, defaultValue: nil,
        about: "A key for the account, beside those of `till keys create`.")
    /// The file with an API key for the account.
    public static let apiKeyFile = Setting(
        key: "api_key_file", option: nil, kind: .path, defaultValue: nil, about: "The file with a key for the account.")
    /// The log level.
    public static let logLevel = Setting(
        key: "log.level", option: nil,
        kind: .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), defaultValue: "warning",
        about: "How much the counter writes to its log.")
    /// The switch for polling settled payments.
    public static let afterSalePoll = Setting(
        key: "aftersale.poll", option: nil, kind: .choice(["on", "off"]), defaultValue: "on",
        about: "Whether settled payments are queried for 120 days, in case no webhook reported a dispute or a refund.")
    /// The lease of a stalled counter on its payments, in seconds.
    public static let leaseSeconds = Setting(
        key: "lease.seconds", option: nil, kind: .number(5...120), defaultValue: "30",
        about:
            "How many seconds a process that is stopped or hangs keeps its payments; then others on its journal take "
            + "over."
    )
    /// The destination of the journal's continuous copy.
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
    /// The time limit for the head of a request.
    public static let headTime = Setting(
        key: "limits.head_time", option: nil, kind: .span, defaultValue: "10s",
        about: "How long the head of a request may take to come.")
    /// The time limit for the body of a request.
    public static let bodyTime = Setting(
        key: "limits.body_time", option: nil, kind: .span, defaultValue: "20s",
        about: "How long the body of a request may take to come.")
    /// The idle timeout of a connection.
    public static let idleTime = Setting(
        key: "limits.idle_time", option: nil, kind: .span, defaultValue: "1min",
        about: "How long a connection may be idle between requests.")
    /// The idle timeout of a page session.
    public static let sessionIdle = Setting(
        key: "session.idle_minutes", option: nil, kind: .number(5...10_080), defaultValue: "720",
        about: "After how many minutes without a request a session of the page ends.")
    /// The maximum lifetime of a page session.
    public static let sessionDays = Setting(
        key: "session.days", option: nil, kind: .number(1...90), defaultValue: "7",
        about: "How many days after signing in a session of the page ends.")
    /// The idle time after which the page locks.
    public static let staffLock = Setting(
        key: "staff.lock_minutes", option: nil, kind: .number(1...720), defaultValue: "5",
        about: "After how many minutes without a request the page is locked and asks for a PIN again.")
    /// The minimum length of a PIN.
    public static let staffPIN = Setting(
        key: "staff.pin_digits", option: nil, kind: .number(4...12), defaultValue: "6",
        about: "Digits that a PIN of the staff has at least; ASVS 5 wants 8.")
    /// The switch for opening the page in the browser.
    public static let openBrowser = Setting(
        key: "open_browser", option: nil, kind: .choice(["true", "false"]), defaultValue: "true",
        about: "Whether till serve opens its page in the browser, on a terminal of a machine with a desktop.")
    /// The switch for serving metrics without a key.
    public static let metricsOpen = Setting(
        key: "metrics.open", option: nil, kind: .choice(["true", "false"]), defaultValue: "false",
        about: "Whether anybody who reaches the counter may read its metrics; else they need a key.")
    public static let streams = Setting(
        key: "limits.streams", option: nil, kind: .number(1...65_536), defaultValue: "256",
        about: "Streams of events that are open at once.")
    /// Additional accounts with access to the counter's hardware and metrics.
    public static let hardwareAccounts = Setting(
        key: "hardware.accounts", option: nil, kind: .text, defaultValue: nil,
        about:
            "Accounts, separated by commas, that use the counter's readers and printers and see its metrics, beside "
            + "its own."
    )
    /// The switch for connecting shops of the counter's own network over HTTP.
    public static let privateShops = Setting(
        key: "shops.private", option: nil, kind: .choice(["true", "false"]), defaultValue: "false",
        about:
            "Whether shops in the counter's own network, and on its machine, are connected over HTTP, too; else only "
            + "by `till shop connect`."
    )
    /// The maximum delay of a request with an unknown key.
    public static let guessDelay = Setting(
        key: "limits.guess_delay", option: nil, kind: .span, defaultValue: "2s",
        about: "How long a request with an unknown key waits at most, when many such come; a right key never waits.")

    /// Returns every setting of a counter with these providers, in display order.
    public static func all(_ modules: [any ProviderModule.Type]) -> [Setting] {
        counter + listening + receipts + offline + modules.flatMap { $0.settings }
    }

    private static let counter: [Setting] = [
        .journal, .account, .provider, .providerHosts, .mode, .orderScope, .dayDifferenceLimit, .contactDays,
        .sandboxLatency, .host, .port, .apiKey, .apiKeyFile,
        .logLevel, .afterSalePoll, .leaseSeconds, .copyTo, .journalSigningKey, .bodyBytes, .headTime, .bodyTime,
        .idleTime, .streams, .guessDelay, .hardwareAccounts, .privateShops, .sessionIdle, .sessionDays,
        .staffLock, .staffPIN, .openBrowser,
        .metricsOpen, .statsDHost, .statsDPort, .statsDPrefix,
    ]
}
