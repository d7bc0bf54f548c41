public import TillCore
public import TillProvider
import TillJournal
import TillReceipts

/// How a counter is set up. Secrets stay in `Secret`.
public struct CounterOptions: Sendable {
    /// The journal's path or address.
    public var journal: String
    /// With what the names of the files begin that belong to it and lie on this machine.
    public let files: String
    /// The account that commands work for.
    public var account = AccountID.main
    /// Who the shop chose to be asked for money if a request names nobody; `nil`: the counter settles it.
    public var chosenProvider: ProviderName?
    /// Who is asked for money if nobody is named, once the counter is open. Cash goes to the drawer whatever this says.
    public internal(set) var provider = ProviderName.sandbox
    /// Whether real money moves, where no credentials say so; `nil`: the journal's mode, or test.
    public var mode: PaymentMode?
    /// What distinguishes the shop's order numbers from those of another year or shop; `nil`: they are never reused.
    public var orderScope: OrderScope?
    /// What the shop set for its receipts.
    public var receipts = ReceiptSetup()
    /// The shop's name on receipts.
    public var storeName: String { receipts.store.name.plain }
    /// Where the in-process sandbox keeps its own ledger.
    public var sandboxLedger: String
    /// How long the sandbox takes for each call.
    public var sandboxLatency: Span = .milliseconds(0)
    /// For how long its process may stand still before others on the journal take over what it holds.
    public var lease = JournalLimits.processLease
    /// The providers that it may have; those that are configured are made.
    public var modules: [any ProviderModule.Type] = []
    /// What is set for them.
    public var settings: any SettingValues = NoSettings()

    /// Payments without a connection.
    public var offline: OfflineOptions

    /// Makes one for a journal; the sandbox's ledger lies with its files.
    /// - Parameter files: `nil` for a file, beside which they lie.
    public init(journal: String, files: String? = nil) {
        self.journal = journal
        self.files = files ?? journal
        sandboxLedger = self.files + "-sandbox"
        offline = OfflineOptions(journal: self.files)
    }

    /// Where a counter keeps its journal by default.
    public static let defaultJournal = ".till/journal.sqlite"
}
