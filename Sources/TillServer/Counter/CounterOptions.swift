public import TillCore
import TillReceipts

/// How a counter is set up. Secrets stay in `Secret`.
public struct CounterOptions: Sendable {
    /// The journal's file.
    public var journal: String
    /// The account that commands work for.
    public var account = AccountID.main
    /// Who is asked for money if nobody is named. Cash goes to the drawer whatever this says.
    public var provider = ProviderName.sandbox
    /// What the shop set for its receipts.
    public var receipts = ReceiptSetup()
    /// The shop's name on receipts.
    public var storeName: String { receipts.store.name.plain }
    /// Where the in-process sandbox keeps its own books.
    public var sandboxLedger: String
    /// How long the sandbox takes for each call.
    public var sandboxLatency: Span = .milliseconds(0)
    /// Stripe's secret key, if Stripe is configured.
    public var stripeKey: Secret<String>?
    /// Where Stripe's interface is.
    public var stripeURL: String = "https://api.stripe.com"
    /// Stripe's webhook secrets; two while one is being replaced.
    public var stripeWebhookSecrets: [Secret<String>] = []
    /// Which network of a card with two goes first at a reader: `domestic` or `international`.
    public var stripeNetworkPriority: String?
    /// PayPal, if it is configured.
    public var payPal: PayPalOptions?
    /// Braintree, if it is configured.
    public var braintree: BraintreeOptions?
    /// Adyen, if it is configured.
    public var adyen: AdyenOptions?
    /// A terminal of Adyen's, if it is configured.
    public var adyenTerminal: AdyenTerminalOptions?

    /// Payments without a connection.
    public var offline: OfflineOptions

    /// Makes one for a journal file; the sandbox's books lie beside it.
    public init(journal: String) {
        self.journal = journal
        sandboxLedger = journal + "-sandbox"
        offline = OfflineOptions(journal: journal)
    }

    /// Where a counter keeps its journal unless it is told otherwise.
    public static let defaultJournal = ".till/journal.sqlite"
}
