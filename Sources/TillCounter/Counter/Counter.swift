public import TillApplePay
public import TillCheckout
public import TillCore
public import TillJournal
public import TillProvider

/// The components of a shop's counter, assembled: the journal, the providers, the engine. The command line and the
/// server are both built on it.
public struct Counter: Sendable {
    public let journal: any CounterStore
    public let checkout: Checkout
    /// The configured providers, in the order of the options' list.
    public let modules: [any ProviderModule]
    /// Offline payments.
    public let offline: OfflineService
    /// The options it was opened with, and the resolved default provider.
    public let options: CounterOptions
    /// The mode: live moves real money.
    public let mode: PaymentMode
    /// The machine's clock, checked against the journal and provider responses.
    public let clock: WitnessedClock
    /// The outcomes of provider calls since the counter was opened.
    public let calls: ProviderCalls
    /// Finds payments missing from the journal after a restore.
    public let sweeper: RestoreSweeper
    private let transports: CounterTransports

    /// Connects the providers to a journal and takes ownership of the journal: ``close()`` closes it.
    /// - Parameter journal: The opened journal of the options.
    /// - Parameter clock: The clock with which the journal was opened, so that nothing is removed from it while the
    ///   clock is in doubt.
    /// - Throws: ``CounterError`` with a message for the operator.
    public static func open(
        _ options: CounterOptions, journal: any CounterStore, clock: WitnessedClock = WitnessedClock()
    ) async throws(CounterError) -> Counter {
        let own = OwnProviders(options, journal: journal, clock: clock)
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

    /// Returns the default provider: the chosen one; otherwise the sandbox in test mode, and in live mode the only
    /// configured one.
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

    /// Returns the module of a provider by its `--provider` name; `nil` if it is not configured.
    public func module(_ name: ProviderName) -> (any ProviderModule)? {
        modules.first { type(of: $0).name == name }
    }

    /// Returns the Apple Pay token formats that a provider accepts in one of Apple's environments.
    public func walletHandovers(of name: ProviderName, in environment: WalletEnvironment) -> Set<WalletHandover> {
        OwnProviders.walletHandovers(of: name, in: environment) ?? module(name)?.walletHandovers ?? []
    }

    /// Returns `true` if payments can be taken through the provider or through its readers.
    public func takesPayments(_ name: ProviderName) -> Bool {
        checkout.providerNames.contains(name) || module(name) != nil
    }

    /// The findings about each provider that the counter supports.
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

    /// The return URLs for 3-D Secure; `nil` without a public address for customers, and if the signing key is unusable
    /// (see ``returnProblem``).
    public var returnURL: ThreeDSecureReturnURL? { try? Counter.returnURL(options, journal: journal.path) }

    /// The reason that customers cannot return from the bank's page although a public address is configured; `nil` if
    /// there is no problem. No money is lost: the outcome of such a payment is queried at the provider.
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
        // If this write fails, the next counter merely queries the time sooner.
        try? await clock.prove(in: journal)
        for module in modules { await module.shutdown() }
        await transports.shutdown()
        try? await journal.close()
    }
}
