import TillApplePay
import TillCheckout
import TillCore
import TillJournal
import TillProvider
import TillSandbox

/// The ways to take money that every counter has without anything being set: cash, and in test mode the sandbox and the
/// log of stored cards. They are no modules: they need no settings, and they do not decide whether real money moves.
struct OwnProviders: Sendable {
    private let sandbox: SandboxProvider
    let offline: OfflineService

    /// - Throws: ``CounterError/sandbox(_:_:)`` if the sandbox's ledger cannot be opened.
    init(
        _ options: CounterOptions, journal: any Journal & RecordStore, clock: any TillClock
    ) throws(CounterError) {
        do {
            let store = try SandboxFileStore(path: options.sandboxLedger)
            sandbox = SandboxProvider(store: store, clock: clock, latency: options.sandboxLatency)
            offline = try OfflineService.make(options, sandbox: sandbox, journal: journal, clock: clock)
        } catch {
            throw .sandbox(options.sandboxLedger, "\(error)")
        }
    }

    /// Where real money moves there is nothing that only says so.
    func providers(in mode: PaymentMode) -> [any PaymentServiceProvider] {
        [CashDrawer(mode: mode)] + (mode == .test ? [sandbox, offline.provider] : [])
    }

    /// What is asked after a restore. No list shows what was put into the drawer.
    func sources(in mode: PaymentMode) -> [RestoreSweeper.Source] {
        let drawer = RestoreSweeper.Source(.cash, nil)
        guard mode == .test else { return [drawer] }
        return [drawer, RestoreSweeper.Source(.sandbox, SandboxChargeListing(ledger: sandbox.ledger))]
    }

    /// How one of them takes the tokens of Apple Pay; `nil` if the provider is none of them. The sandbox takes them in
    /// its own environment and in Apple's sandbox: no customer's token is ever handed to it.
    static func walletHandovers(
        of name: ProviderName, in environment: WalletEnvironment
    ) -> Set<WalletHandover>? {
        guard name == .sandbox else { return nil }
        return environment == .production ? [] : [.opened, .sealed]
    }
}
