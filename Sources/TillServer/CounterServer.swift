import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import TillBooks
public import TillCheckout
public import TillCore
public import TillCounter
public import TillFeatureApplePay
import TillFeatureBooks
import TillFeatureCardFields
import TillFeatureDay
import TillFeatureInsights
import TillFeatureOperations
import TillFeatureOrders
import TillFeaturePage
import TillFeaturePayments
import TillFeatureReceipts
import TillFeatureShops
import TillFeatureStaff
public import TillFeatureTap
import TillFeatureTerminal
import TillFeatureWebhooks
public import TillJournal
public import TillProvider
import TillReceipts
import TillStatements
public import TillWeb
import UnixSignals

/// The counter over HTTP: the page, the API, receipts, events, webhooks and metrics, together with the engine.
///
/// ```swift
/// import TillCheckout
/// import TillJournalSQLite
/// import TillSandbox
/// import TillWeb
///
/// let feed = EventFeed()
/// let journal = try SQLiteJournal.open(at: ".till/journal.sqlite", onCommit: { feed.committed($0) })
/// let sandbox = SandboxProvider(store: SandboxMemoryStore())
/// let checkout = Checkout(journal: journal, providers: [sandbox, CashDrawer()], clock: SystemClock())
/// let server = CounterServer(journal: journal, checkout: checkout, feed: feed)
/// try await server.run()
/// ```
public struct CounterServer: Sendable {
    private let journal: any CounterStore
    private let checkout: Checkout
    private let feed: EventFeed
    private let readCard: CardCollector
    let options: ServerOptions
    private let applePay: ApplePayMount?
    private let offline: OfflineService?
    private let clock: any TillClock
    private let logger: Logger
    private let calls: ProviderCalls?
    private let modules: [any ProviderModule]
    private let terminal: TerminalService?
    private let tap: VirtualTapService?
    private let keeper: ClockKeeper?
    private let afterSale: AfterSalePoll
    private let sweeper: RestoreSweeper?
    private let copier: (any JournalCopying)?
    private let importer: StatementImporter
    private let listeners: CounterListeners
    private let refusals: RefusalLog
    private let opening: Opening

    /// Creates a server that is not listening yet.
    /// - Parameters:
    ///   - feed: The event feed; the journal calls its `committed(_:)` after a commit.
    ///   - readCard: Collects a card at a reader; simulated readers by default.
    ///   - calls: The counters of provider calls, for the metrics page.
    ///   - modules: The configured providers, for their webhooks and card readers.
    ///   - tap: The virtual reader for taps, if the sandbox moves the money.
    ///   - witnessed: The clock, if it is to be checked against others while the counter is open.
    ///   - sweeper: The sweep after a restore; nothing is sold until it is done.
    ///   - copier: Maintains a copy of the journal elsewhere.
    public init(
        journal: any CounterStore, checkout: Checkout, feed: EventFeed = EventFeed(), readCard: CardCollector? = nil,
        options: ServerOptions = ServerOptions(), applePay: ApplePayMount? = nil, clock: any TillClock = SystemClock(),
        logger: Logger = Logger(label: "till"), calls: ProviderCalls? = nil,
        modules: [any ProviderModule] = [], offline: OfflineService? = nil, tap: VirtualTapService? = nil,
        witnessed: WitnessedClock? = nil, sweeper: RestoreSweeper? = nil, copier: (any JournalCopying)? = nil
    ) {
        (self.offline, self.tap, self.sweeper, self.copier) = (offline, tap, sweeper, copier)
        keeper = witnessed.map { ClockKeeper(clock: $0, journal: journal, checkout: checkout, logger: logger) }
        self.modules = modules
        terminal = TerminalService(modules, preferred: options.preferredReader)
        self.calls = calls
        self.journal = journal
        self.checkout = checkout
        afterSale = AfterSalePoll(checkout, journal: journal, clock: clock)
        importer = StatementImporter(journal: journal, clock: clock, options: options)
        self.feed = feed
        let simulated = readCard ?? SimulatedReaders.collector(clock: clock, pace: .milliseconds(300))
        self.readCard = tap?.collector(else: simulated) ?? simulated
        self.options = options
        let opening = Opening()
        self.opening = opening
        var heard = options
        heard.onListening = { [onListening = options.onListening] port in
            onListening?(port)
            opening.begin()
        }
        listeners = CounterListeners(heard, logger: logger)
        refusals = RefusalLog(journal, logger: logger)
        self.applePay = applePay
        self.clock = clock
        self.logger = logger
    }

    /// Creates a server for a counter, with its providers' readers and the simulated one. Mode, account, default
    /// provider, order scope, limit of the day's difference, retention of contacts, receipts, return URL, statement
    /// forms and known providers are the counter's, whatever the options say.
    public init(
        counter: Counter, feed: EventFeed, options: ServerOptions, applePay: ApplePayMount? = nil,
        copier: (any JournalCopying)? = nil, logger: Logger = Logger(label: "till")
    ) {
        var options = options
        options.mode = counter.mode
        options.account = counter.options.account
        options.defaultProvider = counter.options.provider
        options.orderScope = counter.options.orderScope
        options.dayDifferenceLimit = counter.options.dayDifferenceLimit
        options.contactRetention = counter.options.contactRetention
        options.receipts = counter.options.receipts
        options.returnURL = counter.returnURL
        options.statementForms = StatementForm.all(of: counter.options.modules)
        options.knownProviders = counter.options.modules
        self.init(
            journal: counter.journal, checkout: counter.checkout, feed: feed, options: options, applePay: applePay,
            clock: counter.clock, logger: logger, calls: counter.calls,
            modules: counter.modules, offline: counter.offline, tap: VirtualTapService(sandboxOf: counter),
            witnessed: counter.clock, sweeper: counter.sweeper, copier: copier)
    }

    /// Serves until the process is terminated (SIGTERM, SIGINT) or the task is canceled. Then requests in flight are
    /// answered, the engine stops and the journal is closed.
    public func run() async throws {
        let authenticator = authenticator()
        let responders = responders(authenticator)
        let listening = listeners.services(responders, answer: answer(with:))
        // Services end in reverse order: streams first, then requests in flight, then the engine. Each has a name,
        // because without one the whole service is described at every start.
        typealias Named = ServiceGroupConfiguration.ServiceConfiguration
        func later(_ name: String, _ make: @escaping @Sendable () -> any Service) -> Named {
            Named(service: BackgroundService(beginning: opening.beginning(), make: make), serviceName: name)
        }
        var services = [
            later("engine") { EngineService(checkout: checkout, sweeper: sweeper, logger: logger) }
        ]
        // After the last request, so that every refusal is written.
        services.append(
            Named(service: RefusalLogService(refusals: refusals, clock: clock), serviceName: "refusals"))
        services += listening.map { Named(service: $0, serviceName: "http") }
        services.append(Named(service: FeedService(feed: feed), serviceName: "feed"))
        services.append(Named(service: keyWatch(authenticator), serviceName: "keys"))
        services.append(Named(service: StatementImporterService(importer: importer), serviceName: "statements"))
        services.append(
            Named(
                service: LeaseService(journal: journal, clock: clock),
                failureTerminationBehavior: .gracefullyShutdownGroup, serviceName: "lease"))
        if let copier {
            // Ends last, so that its final copy is complete.
            services.insert(
                later("copy") { CopyService(copier: copier, clock: clock, logger: logger) }, at: 0)
        }
        if let tls = options.tls {
            services.append(
                Named(service: TLSIdentityService(identity: tls, clock: clock, logger: logger), serviceName: "tls"))
        }
        if let keeper { services.append(later("clock") { keeper }) }
        if options.pollsAfterSale {
            services.append(later("after sale") { AfterSaleService(poll: afterSale, logger: logger) })
        }
        if let terminal {
            services.append(
                Named(
                    service: TerminalFeedService(terminal: terminal, feed: feed, logger: logger),
                    serviceName: "terminal feed"))
        }
        if let tap { services.append(Named(service: VirtualTapRunner(taps: tap), serviceName: "taps")) }
        services.append(
            later("print queue") {
                PrintQueueService(
                    printing: options.receipts.printing(journal, clock) { [logger] in logger.error("\($0)") }
                        .with(DayPaper(options.receipts, mode: options.mode).reports(of: day)),
                    clock: clock, logger: logger)
            })
        services.append(later("webhooks") { WebhookService(webhooks, logger: logger) })
        services.append(
            later("shops") {
                ShopSync(
                    shops, book: OrderBook(journal, checkout: checkout, feed: feed, clock: clock), checkout: checkout,
                    scope: options.orderScope, logger: logger, reachesInside: options.reachesPrivateShops)
            })
        services.append(
            later("basket orders") {
                BasketOrderService(
                    PaidBaskets(journal, owner: options.account), of: options.account,
                    book: OrderBook(journal, checkout: checkout, feed: feed, clock: clock), checkout: checkout,
                    feed: feed, pace: applePay == nil ? BasketOrderService.standbyPace : BasketOrderService.pace,
                    clock: clock, logger: logger)
            })
        services.append(
            later("contacts") {
                ContactRetentionService(
                    book: OrderBook(journal, checkout: checkout, feed: feed, clock: clock), baskets: walletContacts,
                    retention: options.contactRetention, store: journal, clock: clock, logger: logger)
            })
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            // The actor that started the process is not the cause of its later actions.
            try await Attribution.$current.withValue(nil) { try await group.run() }
        } catch {
            await applePay?.opened?.shutdown()
            await closeJournal()
            throw error
        }
        await applePay?.opened?.shutdown()
        try await journal.close()
    }

    private func keyWatch(_ authenticator: RequestAuthenticator) -> KeyWatch {
        KeyWatch(
            keys: APIKeys(journal, clock: clock), authenticator: authenticator, feed: feed, clock: clock, logger: logger
        )
    }

    /// Closes the journal after a more important error. Committed data is on disk in any case.
    private func closeJournal() async {
        do throws(JournalError) { try await journal.close() } catch {
            logger.error("The journal could not be closed: \(error)")
        }
    }

    /// The endpoints that programs of shops are told of payments at.
    private var webhooks: WebhookEndpoints {
        WebhookEndpoints(
            journal, pepper: Pepper(besideJournal: journal.path), clock: clock, mode: options.mode,
            reachesInside: options.hasHardware)
    }

    /// The contacts of orders paid by Apple Pay, also of a counter that offers it no longer.
    private var walletContacts: WalletContacts {
        WalletContacts(journal, pepper: Pepper(besideJournal: journal.path), clock: clock)
    }

    /// The shops whose orders are sold here.
    private var shops: ConnectedShops {
        ConnectedShops(journal, pepper: Pepper(besideJournal: journal.path), clock: clock, mode: options.mode)
    }

    /// Returns the handler of every request: the responder logs and counts for itself, so it is called without a
    /// logger, a name and a context for each request.
    private func answer(with responder: CounterResponder) -> RequestAnswer {
        let date = HTTPDate(clock)
        let isTest = options.mode == .test
        return { request, writer, _ in
            let connection = Connection.current
            guard connection?.place.startWork() ?? true else { throw AnswerInterrupted() }
            var response = await responder.respond(to: request, over: connection)
            connection?.place.endWork()
            response.headers[.date] = date.now
            if isTest { response.headers[.tillMode] = "TEST" }
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                // Passed on as such it would be answered a second time.
                throw AnswerInterrupted()
            }
        }
    }

    /// Creates the authenticator for this counter's keys and sessions.
    func authenticator() -> RequestAuthenticator {
        RequestAuthenticator(
            keys: APIKeys(journal, clock: clock),
            sessions: PageSessions(journal, limits: options.sessions, clock: MeasuringClock(clock), feed: feed),
            staff: StaffOnDuty(journal, clock: clock), options: options, clock: clock, logger: logger)
    }

    /// Returns the responder of every route.
    func responder(_ authenticator: RequestAuthenticator) -> CounterResponder { responders(authenticator)([]) }

    /// Returns the responders of audiences, or of all routes for none; all share the same metrics.
    func responders(_ authenticator: RequestAuthenticator) -> (Set<RouteAudience>) -> CounterResponder {
        let metrics = ServerMetrics()
        let router = CounterRouter(authenticator: authenticator, options: options)
        register(on: router, authenticator, metrics)
        return { audiences in
            CounterResponder(
                routes: router.built(for: audiences), metrics: metrics, logger: logger, origins: listeners.origins,
                refusals: refusals)
        }
    }

    /// The days of the accounts' drawers, by the shop's clock.
    private var day: DayBook {
        DayBook(
            journal, clock: clock, differenceLimit: options.dayDifferenceLimit,
            zone: options.receipts.store.timeZone)
    }

    /// Registers the staff routes: records, sign-in at devices and to the back office, approvals.
    private func registerStaff(
        on router: CounterRouter, _ authenticator: RequestAuthenticator, _ approvals: Approvals,
        _ signIn: StaffSignIn
    ) {
        PersonRoutes(
            authenticator: authenticator, signIn: signIn, lock: options.sessions.lock,
            zone: options.receipts.store.timeZone
        ).register(on: router)
        ApprovalRoutes(checkout: checkout, approvals: approvals, signIn: signIn).register(on: router)
        StaffRoutes(staff: authenticator.staff, hasher: signIn.hasher, policy: options.pins).register(on: router)
        let office = OfficeSignIn(
            account: options.account, staff: authenticator.staff, sessions: authenticator.sessions,
            attempts: signIn.attempts, hasher: ScryptHasher(signIn.hasher.pepper),
            policy: PasswordPolicy(shop: options.receipts.store.name.plain), store: journal,
            clock: MeasuringClock(clock), log: signIn.log)
        let passkeys = Passkeys(office: office)
        SessionRoutes(authenticator: authenticator, office: office, passkeys: passkeys, logger: logger)
            .register(on: router)
        let officeRoutes = OfficeRoutes(authenticator: authenticator, office: office, passkeys: passkeys)
        officeRoutes.register(on: router)
        PasskeyRoutes(authenticator: authenticator, passkeys: passkeys, office: officeRoutes).register(on: router)
        OpenSessionRoutes(authenticator: authenticator) { [journal, options, clock] account in
            OpenSessions(journal, account: account, limits: options.sessions, clock: clock)
        }.register(on: router)
    }

    /// Registers the routes of every feature.
    func register(on router: CounterRouter, _ authenticator: RequestAuthenticator, _ metrics: ServerMetrics) {
        let signIn = StaffSignIn(
            staff: authenticator.staff, sessions: authenticator.sessions,
            attempts: SignInAttempts(journal, clock: MeasuringClock(clock)),
            hasher: ScryptHasher(besideJournal: journal.path), log: SignInLog(logger: logger))
        let payments = PaymentRequests(
            checkout: checkout, keyed: IdempotentRequests(journal: journal, checkout: checkout, clock: clock),
            metrics: metrics, options: options, clock: clock)
        let approvals = Approvals(journal, staff: authenticator.staff, clock: MeasuringClock(clock))
        let notes = PaymentNotes(journal, clock: clock)
        PaymentListRoutes(requests: payments).register(on: router)
        PaymentRoutes(
            requests: payments, journal: journal, feed: feed, readCard: readCard, terminal: terminal,
            approvals: approvals, notes: notes
        ).register(on: router)
        PaymentNoteRoutes(requests: payments, notes: notes).register(on: router)
        let sessions = PaymentSessions(journal, clock: clock)
        let cardFields = OfferedCardFields(modules, of: options.defaultProvider)
        CardFieldRoutes(sessions: sessions, payments: payments, fields: cardFields).register(on: router)
        let notices = { @Sendable [applePay] in applePay?.notices() ?? [] }
        AttentionRoutes(
            payments: payments, queue: AttentionQueue(journal), incidents: IncidentLog(journal),
            assignments: Assignments(journal, clock: clock), clock: clock, notices: notices
        ).register(on: router)
        LedgerRoutes(journal: journal).register(on: router)
        SettingsRoutes(journal: journal).register(on: router)
        IncidentRoutes(payments: payments, journal: journal, clock: clock).register(on: router)
        ReconciliationRoutes(payments: payments, journal: journal, importer: importer).register(on: router)
        let streams = EventStreams(
            feed: feed, clock: clock, authenticator: authenticator, maximumStreams: listeners.maximumStreams,
            owner: options.account)
        EventStreamRoute(journal: journal, checkout: checkout, streams: streams).register(on: router)
        let orders = OrderBook(journal, checkout: checkout, feed: feed, clock: clock)
        OrderRoutes(book: orders, payments: payments).register(on: router)
        OrderContactRoutes(book: orders, paid: walletContacts, options: options).register(on: router)
        OrderFeedRoute(book: orders, streams: streams).register(on: router)
        KitchenRoutes(mode: options.mode).register(on: router)
        ShopRoutes(shops: shops, options: options).register(on: router)
        let receipts = ReceiptRoutes(
            payments: payments, journal: journal, options: options, guesses: authenticator.linkGuesses, clock: clock,
            logger: logger)
        receipts.register(on: router)
        AppCheckoutRoutes(
            sessions: sessions, payments: payments, fields: cardFields, guesses: authenticator.linkGuesses
        ) {
            try await receipts.customerCopy(of: $0)
        }.register(on: router)
        DrawerRoute(journal: journal, clock: clock).register(on: router)
        PrinterRoutes(journal: journal, clock: clock, options: options).register(on: router)
        ReceiptSettingsRoutes(options: options).register(on: router)
        let day = self.day
        let zone = options.receipts.store.timeZone
        DayRoutes(book: day, zone: zone, sessions: authenticator.sessions).register(on: router)
        DayPaperRoutes(book: day, journal: journal, options: options, clock: clock, logger: logger)
            .register(on: router)
        InsightsRoutes(
            book: InsightsBook(journal, clock: clock, own: options.account, offline: offline), zone: zone
        ).register(on: router)
        TerminalRoutes(service: terminal, payments: payments, registry: ReaderRegistry(journal)).register(on: router)
        TapRoutes(taps: tap, payments: payments).register(on: router)
        WebhookRoute(modules, checkout: checkout, clock: clock, logger: logger).register(on: router)
        WebhookRoutes(endpoints: webhooks, hasHardware: options.hasHardware).register(on: router)
        ThreeDSecureReturnRoute(journal: journal, checkout: checkout, options: options, clock: clock)
            .register(on: router)
        if let offline { OfflineRoute(offline: offline).register(on: router) }
        applePay?.register(
            on: router, orderScope: options.orderScope,
            quotes: ShopQuotes(SignedCalls(webhooks), account: options.account))
        PageRoutes(
            mode: options.mode, clock: clock, takesCards: checkout.takesCards(options.defaultProvider)
        ).register(on: router)
        registerStaff(on: router, authenticator, approvals, signIn)
        AuditRoutes(journal: journal).register(on: router)
        KeyRoutes(keys: APIKeys(journal, clock: clock), clock: clock).register(on: router)
        let readiness = Readiness(journal: journal, recovery: { [checkout] in checkout.recovery }, clock: clock)
        StandingRoutes(
            readiness: readiness, journal: journal, checkout: checkout, options: options, clock: clock, copier: copier,
            modules: modules, notices: notices
        ).register(on: router)
        OperationRoutes(
            authenticator: authenticator, metrics: metrics, calls: calls, readiness: readiness, journal: journal,
            checkout: checkout, feed: feed, options: options,
            features: [{ [applePay] in applePay?.opened?.metrics() ?? "" }], clock: clock, afterSale: afterSale,
            copier: copier, gates: listeners.gates, signIns: signIn.log, modules: modules
        ).register(on: router)
    }
}

/// The client sent invalid HTTP during its response, or its connection was closed before the response.
private struct AnswerInterrupted: Error {}

/// The engine that completes open payments. After a restore the sweep runs first: payments that the journal shows as
/// open may have been completed, and must not be voided.
private struct EngineService: Service {
    let checkout: Checkout
    let sweeper: RestoreSweeper?
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await Attribution.of(.restoreSweep) { await sweep() }
            guard !Task.isCancelled else { return }
            await Attribution.of(.recovery) {
                await checkout.run { [logger] notice in
                    notice.isTrouble ? logger.error("\(notice)") : logger.notice("\(notice)")
                }
            }
        }
    }

    private func sweep() async {
        guard let sweeper else { return }
        while !Task.isCancelled {
            do throws(JournalError) {
                return try await sweeper.run { [logger] standing in
                    if standing != .notDue { logger.warning("restore: \(standing)") }
                }
            } catch { logger.error("The sweep after the restore cannot continue: \(error)") }
            do { try await sweeper.clock.sleep(for: RestoreSweeper.pause) } catch { return }
        }
    }
}

/// The queries of settled payments.
private struct AfterSaleService: Service {
    let poll: AfterSalePoll
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await Attribution.of(.afterSale) {
                await poll.run { logger.error("The queries of settled payments could not go on: \($0)") }
            }
        }
    }
}

/// Ends the event streams first, so that they do not delay shutdown.
private struct FeedService: Service {
    let feed: EventFeed

    func run() async throws {
        defer { feed.close() }
        try await gracefulShutdown()
    }
}
