public import TillApplePay
public import TillCheckout
public import TillCore
public import TillJournal
public import TillProvider

/// Everything a shop's counter consists of, put together: the journal, the providers, the engine. The command line
/// and the server both stand on it.
public struct Counter: Sendable {
    public let journal: any CounterStore
    public let checkout: Checkout
    /// The providers that are configured, in the order of the options' list.
    public let modules: [any ProviderModule]
    /// Payments without a connection.
    public let offline: OfflineService
    /// What it was made from, with the provider that was settled on.
    public let options: CounterOptions
    /// Whether real money moves.
    public let mode: PaymentMode
    /// The machine's clock, held against the journal and the providers' answers.
    public let clock: WitnessedClock
    /// How calls to providers ended since it was opened.
    public let calls: ProviderCalls
    /// Finds out after a restore what was sold that the journal does not have.
    public let sweeper: RestoreSweeper
    private let transports: CounterTransports

    /// Connects the providers to a journal, which is the counter's from then on: ``close()`` closes it.
    /// - Parameter journal: the one that the options name, opened.
    /// - Parameter clock: the one that the journal was opened with, so that nothing of it is forgotten while the
    ///   clock is in doubt.
    /// - Throws: ``CounterError`` with a sentence for the person who starts it.
    public static func open(
        _ options: CounterOptions, journal: any CounterStore, clock: WitnessedClock = WitnessedClock()
    ) async throws(CounterError) -> Counter {
        let own = try OwnProviders(options, journal: journal, clock: clock)
        let transports = CounterTransports(clock: clock)
        let environment = Counter.environment(options, journal, transports, clock)
        var modules: [any ProviderModule] = []
        do throws(ProviderModuleError) {
            for type in options.modules {
                if let module = try type.make(options.settings, in: environment) { modules.append(module) }
            }
        } catch {
            for module in modules { await module.shutdown() }
            await transports.shutdown()
            throw .provider(error)
        }
        let mode: PaymentMode
        var options = options
        do throws(CounterError) {
            do throws(ForeignProviderHost) {
                let hosts = ProviderHosts(options.settings)
                for module in modules { try hosts.check(module) }
            } catch { throw .foreignHost(error) }
            mode = try await CounterMode.settle(modules, set: options.mode, journal)
            options.provider = try Counter.provider(of: options, modules, mode)
            do throws(JournalError) {
                try await clock.compare(with: journal, hasWitnesses: !modules.isEmpty)
            } catch { throw .journal(options.journal, error) }
        } catch {
            for module in modules { await module.shutdown() }
            await transports.shutdown()
            throw error
        }
        let calls = ProviderCalls()
        let providers = own.providers(in: mode) + modules.flatMap(\.providers)
        let checkout = Checkout(
            journal: journal, providers: providers.map { ObservedProvider(provider: $0, calls: calls) }, clock: clock)
        let sources = modules.map { RestoreSweeper.Source(type(of: $0).name, $0.charges) } + own.sources(in: mode)
        return Counter(
            journal: journal, checkout: checkout, modules: modules, offline: own.offline, options: options, mode: mode,
            clock: clock, calls: calls,
            sweeper: RestoreSweeper(journal: journal, checkout: checkout, sources: sources, clock: clock),
            transports: transports)
    }

    /// Who is asked for money if nobody is named: who was chosen; else the sandbox in test mode, and in live mode the
    /// one provider that is configured.
    private static func provider(
        of options: CounterOptions, _ modules: [any ProviderModule], _ mode: PaymentMode
    ) throws(CounterError) -> ProviderName {
        if let chosen = options.chosenProvider {
            do throws(StandInRefusal) { try StandInRefusal.check(chosen, in: mode) } catch { throw .standIn(error) }
            return chosen
        }
        guard mode == .live else { return .sandbox }
        let names = modules.map { type(of: $0).name }
        guard names.count < 2 else { throw .noProviderChosen(names) }
        return names.first ?? .cash
    }

    private static func environment(
        _ options: CounterOptions, _ journal: any CounterStore, _ transports: CounterTransports, _ clock: any TillClock
    ) -> ProviderEnvironment {
        ProviderEnvironment(
            clock: clock, defaultProvider: options.chosenProvider ?? .sandbox, transports: transports,
            returnAddress: (try? returnURL(options, journal: journal.path)).map { $0.address(of:) },
            notifications: { JournalNotifications(store: journal, provider: $0) })
    }

    /// The module of a provider, by what `--provider` says; `nil` where it is not configured.
    public func module(_ name: ProviderName) -> (any ProviderModule)? {
        modules.first { type(of: $0).name == name }
    }

    /// How a provider takes the tokens of Apple Pay, in one of Apple's environments.
    public func walletHandovers(of name: ProviderName, in environment: WalletEnvironment) -> Set<WalletHandover> {
        OwnProviders.walletHandovers(of: name, in: environment) ?? module(name)?.walletHandovers ?? []
    }

    /// Payments can be asked of it: it moves money under this name, or its readers do.
    public func takesPayments(_ name: ProviderName) -> Bool {
        checkout.providerNames.contains(name) || module(name) != nil
    }

    /// What there is to say about each provider that the counter may have.
    public var providerFindings: [ProviderFinding] {
        let back = returnProblem.map {
            ProviderFinding("Customers cannot come back from their bank's page. \($0.what) \($0.next)", isFine: false)
        }
        return options.modules.flatMap { type in
            module(type.name)?.findings ?? [
                ProviderFinding("\(type.title) is not configured. \(type.setUp)")
            ]
        } + (back.map { [$0] } ?? [])
    }

    /// Where banks send customers back to; `nil` where the shop has said no address for customers, and where the key of
    /// these addresses cannot be used, as ``returnProblem`` says.
    public var returnURL: ThreeDSecureReturnURL? { try? Counter.returnURL(options, journal: journal.path) }

    /// Why customers cannot be sent back from their bank's page although the shop has an address for them; `nil` where
    /// nothing is wrong. No money is lost by it: the provider is asked how such a payment ended.
    public var returnProblem: ReceiptLinkError? {
        do throws(ReceiptLinkError) { _ = try Counter.returnURL(options, journal: journal.path) } catch { return error }
        return nil
    }

    private static func returnURL(
        _ options: CounterOptions, journal: String
    ) throws(ReceiptLinkError) -> ThreeDSecureReturnURL? {
        guard let base = options.receipts.url else { return nil }
        return try ThreeDSecureReturnURL(base: base, besideJournal: journal)
    }

    /// Closes the connections and the journal.
    public func close() async {
        // Where it cannot be written the next counter only asks sooner.
        try? await clock.prove(in: journal)
        for module in modules { await module.shutdown() }
        await transports.shutdown()
        try? await journal.close()
    }
}
