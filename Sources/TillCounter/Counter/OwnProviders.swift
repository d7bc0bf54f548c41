import TillApplePay
import TillCheckout
import TillCore
import TillJournal
import TillProvider
import TillSandbox

/// The providers built into every counter: cash, and in test mode the sandbox and the log of stored cards. They are not
/// modules: they need no settings and do not determine the mode.
struct OwnProviders: Sendable {
    private let sandbox: SandboxProvider
    let offline: OfflineService

    init(_ options: CounterOptions, journal: any Journal & RecordStore, clock: any TillClock) {
        let store = SandboxFileStore(path: options.sandboxLedger)
        sandbox = SandboxProvider(store: store, clock: clock, latency: options.sandboxLatency)
        offline = OfflineService.make(options, sandbox: sandbox, journal: journal, clock: clock)
    }

    /// Returns the built-in providers of a mode. Live mode has none that only simulates money.
    func providers(in mode: PaymentMode) -> [any PaymentServiceProvider] {
        [CashDrawer(mode: mode)] + (mode == .test ? [sandbox, offline.provider] : [])
    }

    /// Returns the sources for the sweep after a restore. Cash has no listing.
    func sources(in mode: PaymentMode) -> [RestoreSweeper.Source] {
        let drawer = RestoreSweeper.Source(.cash, nil)
        guard mode == .test else { return [drawer] }
        return [drawer, RestoreSweeper.Source(.sandbox, SandboxChargeListing(ledger: sandbox.ledger))]
    }

    /// Returns the Apple Pay token formats that a built-in provider accepts; `nil` for another provider. The sandbox
    /// accepts them in its own environment and in Apple's sandbox: no production token ever reaches it.
    static func walletHandovers(
        of name: ProviderName, in environment: WalletEnvironment
    ) -> Set<WalletHandover>? {
        guard name == .sandbox else { return nil }
        return environment == .production ? [] : [.opened, .sealed]
    }
}
