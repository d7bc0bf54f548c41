public import TillCore
public import TillProvider
import TillJournal
import TillReceipts

/// The configuration of a counter. Secrets stay in `Secret`.
public struct CounterOptions: Sendable {
    /// The journal's path or address.
    public var journal: String
    /// The path prefix of the journal's local files.
    public let files: String
    /// The account that commands act for.
    public var account = AccountID.main
    /// The default provider chosen by the shop; `nil` to have the counter choose.
    public var chosenProvider: ProviderName?
    /// The resolved default provider, once the counter is open. Cash always goes to the drawer.
    public internal(set) var provider = ProviderName.sandbox
    /// The mode if no credentials determine it; `nil` for the journal's mode, or test.
    public var mode: PaymentMode?
    /// The scope that distinguishes the shop's order numbers from those of another year or shop; `nil` if they are
    /// never reused.
    public var orderScope: OrderScope?
    /// The largest difference of a cash drawer, in minor units, that needs no reason at an opening or a close.
    public var dayDifferenceLimit = CounterOptions.usualDayDifference
    /// The retention of customers' contacts on orders and of guests' accounts; `nil` keeps contacts of the order book,
    /// and the others for ``usualContactRetention``.
    public var contactRetention: Span?
    /// The receipt settings.
    public var receipts = ReceiptSetup()
    /// The shop's name on receipts.
    public var storeName: String { receipts.store.name.plain }
    /// The path of the in-process sandbox's own ledger.
    public var sandboxLedger: String
    /// The latency of each sandbox call.
    public var sandboxLatency: Span = .milliseconds(0)
    /// The lease: the time for which the process may stall before others on the journal take over its payments.
    public var lease = JournalLimits.processLease
    /// The supported provider modules; the configured ones are created.
    public var modules: [any ProviderModule.Type] = []
    /// The providers' settings.
    public var settings: any SettingValues = NoSettings()

    /// The options for offline payments.
    public var offline: OfflineOptions

    /// Creates options for a journal; the sandbox's ledger is stored with the journal's files.
    /// - Parameter files: The path prefix of local files; `nil` for a journal file, beside which they are stored.
    public init(journal: String, files: String? = nil) {
        self.journal = journal
        self.files = files ?? journal
        sandboxLedger = self.files + "-sandbox"
        offline = OfflineOptions(journal: self.files)
    }

    /// The default of ``dayDifferenceLimit``.
    public static let usualDayDifference: Int64 = 500

    /// The retention of contacts in Apple Pay baskets and of guests' accounts without ``contactRetention``: beyond the
    /// time in which most payments are refunded or disputed.
    public static let usualContactRetention = Span.days(180)

    /// The default path of the journal.
    public static let defaultJournal = ".till/journal.sqlite"
}
