import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
public import TillCheckout
public import TillCore
public import TillJournal
public import TillProvider
import UnixSignals

/// The counter over HTTP: the page, the API, receipts, events, webhooks and metrics, with the engine beside it.
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

    /// Makes one that does not listen yet.
    /// - Parameters:
    ///   - feed: the one whose ``EventFeed/committed(_:)`` the journal calls after a commit.
    ///   - readCard: collects a card at a reader; simulated ones if not given.
    ///   - calls: where calls to providers are counted, for the metrics page.
    ///   - modules: the providers that are configured, for their webhooks and card readers.
    ///   - tap: the virtual reader for taps, where the sandbox moves the money.
    public init(
        journal: any CounterStore, checkout: Checkout, feed: EventFeed = EventFeed(), readCard: CardCollector? = nil,
        options: ServerOptions = ServerOptions(), applePay: ApplePayMount? = nil, clock: any TillClock = SystemClock(),
        logger: Logger = Logger(label: "till"), calls: ProviderCalls? = nil,
        modules: [any ProviderModule] = [], offline: OfflineService? = nil, tap: VirtualTapService? = nil
    ) {
        (self.offline, self.tap) = (offline, tap)
        self.modules = modules
        terminal = TerminalService(modules, preferred: options.preferredReader)
        self.calls = calls
        self.journal = journal
        self.checkout = checkout
        self.feed = feed
        let simulated = readCard ?? SimulatedReaders.collector(clock: clock, pace: .milliseconds(300))
        self.readCard = tap?.collector(else: simulated) ?? simulated
        self.options = options
        self.applePay = applePay
        self.clock = clock
        self.logger = logger
    }

    /// Makes one for a counter, with its readers simulated.
    public init(
        counter: Counter, feed: EventFeed, options: ServerOptions, applePay: ApplePayMount? = nil,
        logger: Logger = Logger(label: "till")
    ) {
        var options = options
        options.mode = counter.mode
        self.init(
            journal: counter.journal, checkout: counter.checkout, feed: feed, options: options, applePay: applePay,
            clock: counter.clock, logger: logger, calls: counter.calls,
            modules: counter.modules, offline: counter.offline, tap: VirtualTapService(sandboxOf: counter))
    }

    /// Serves until the process is asked to end (SIGTERM, SIGINT) or the task is cancelled. Then what is in flight is
    /// answered, the engine stops and the journal is closed.
    public func run() async throws {
        let authenticator = RequestAuthenticator(keys: APIKeys(journal, clock: clock), options: options, clock: clock)
        let options = options
        let idle = TimeAmount.milliseconds(options.idleTimeout.milliseconds)
        let headTimeout = TimeAmount.milliseconds(options.headTimeout.milliseconds)
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [HeadDeadline(headTimeout)], idleTimeout: idle,
            // Twice what is taken: between the two the answer says what was wrong, beyond them it is a bare 400.
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: 2 * HeadLimits.fieldBytes, maxHeaderListSize: 2 * HeadLimits.bytes,
                maxHeaderFieldCount: 2 * HeadLimits.fields))
        let address = ApplicationConfiguration(address: .hostname(options.host, port: options.port), serverName: nil)
        let responder = responder(authenticator)
        let server = HTTPServerBuilder { _ in
            EventLoopHTTP1Channel(HTTP1Channel(responder: answer(with: responder), configuration: http))
        }
        let application = Application(
            responder: responder, server: server, configuration: address,
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? options.port
                authenticator.listens(on: port)
                options.onListening?(port)
            },
            logger: logger)
        // They end in the opposite order: streams first, then what is in flight, then the engine.
        // Each with its name: without one the whole service is described at every start.
        typealias Named = ServiceGroupConfiguration.ServiceConfiguration
        var services = [
            Named(service: EngineService(checkout: checkout), serviceName: "engine"),
            Named(service: application, serviceName: "http"),
            Named(service: FeedService(feed: feed), serviceName: "feed"),
        ]
        if let terminal {
            services.append(
                Named(service: TerminalFeedService(terminal: terminal, feed: feed), serviceName: "terminal feed"))
        }
        if let tap { services.append(Named(service: VirtualTapRunner(taps: tap), serviceName: "taps")) }
        let queue = PrintQueueService(
            printing: options.receipts.printing(journal, clock) { [logger] in logger.error("\($0)") }, clock: clock,
            logger: logger)
        services.append(Named(service: queue, serviceName: "print queue"))
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch {
            await applePay?.opened?.shutdown()
            try? await journal.close()
            throw error
        }
        await applePay?.opened?.shutdown()
        try await journal.close()
    }

    /// What every request meets: the responder logs and counts for itself, so it is asked without a logger, a name and
    /// a context of its own for each request.
    private func answer(with responder: CounterResponder) -> HTTPChannelHandler.Responder {
        let date = HTTPDate(clock)
        let isTest = options.mode == .test
        return { request, writer, _ in
            var response = await responder.respond(to: request)
            response.headers[.date] = date.now
            if isTest { response.headers[.tillMode] = "TEST" }
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                // As such it would be answered, for the second time.
                throw AnswerInterrupted()
            }
        }
    }

    func responder(_ authenticator: RequestAuthenticator) -> CounterResponder {
        let metrics = ServerMetrics()
        let router = CounterRouter(authenticator: authenticator, options: options)
        register(on: router, authenticator, metrics)
        return CounterResponder(routes: router.built(), metrics: metrics, logger: logger)
    }

    /// Every feature registers what it serves.
    func register(on router: CounterRouter, _ authenticator: RequestAuthenticator, _ metrics: ServerMetrics) {
        let payments = PaymentRoutes(
            journal: journal, checkout: checkout,
            keyed: IdempotentRequests(journal: journal, checkout: checkout, clock: clock), feed: feed,
            metrics: metrics, readCard: readCard, options: options, clock: clock, terminal: terminal)
        payments.register(on: router)
        AttentionRoutes(payments: payments, queue: AttentionQueue(journal), clock: clock).register(on: router)
        EventStreamRoute(
            journal: journal, checkout: checkout, feed: feed, clock: clock, maximumStreams: options.maximumStreams
        ).register(on: router)
        ReceiptRoutes(payments: payments, journal: journal, options: options, clock: clock, logger: logger)
            .register(on: router)
        TerminalRoutes(service: terminal, payments: payments).register(on: router)
        TapRoutes(taps: tap, payments: payments).register(on: router)
        WebhookRoute(modules, journal: journal, checkout: checkout, clock: clock).register(on: router)
        ThreeDSecureReturnRoute(journal: journal, checkout: checkout, options: options, clock: clock)
            .register(on: router)
        if let offline { OfflineRoute(offline: offline).register(on: router) }
        applePay?.register(on: router)
        PageRoutes(authenticator: authenticator, mode: options.mode, clock: clock).register(on: router)
        OperationRoutes(
            authenticator: authenticator, metrics: metrics, calls: calls,
            readiness: Readiness(journal: journal, clock: clock), journal: journal, checkout: checkout, feed: feed,
            options: options, applePay: applePay, clock: clock
        ).register(on: router)
    }
}

/// The client sent something that is not HTTP while it was answered.
private struct AnswerInterrupted: Error {}

/// The engine that finishes what is open.
private struct EngineService: Service {
    let checkout: Checkout

    func run() async throws { await cancelWhenGracefulShutdown { await checkout.run() } }
}

/// Ends the streams of events first, so that they do not hold up the end.
private struct FeedService: Service {
    let feed: EventFeed

    func run() async throws {
        defer { feed.close() }
        try await gracefulShutdown()
    }
}

/// Closes a connection whose first request's head does not come in time.
private final class HeadDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let timeout: TimeAmount
    private var task: Scheduled<Void>?

    init(_ timeout: TimeAmount) { self.timeout = timeout }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        task = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        task?.cancel()
        task = nil
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        task?.cancel()
        task = nil
        context.fireChannelInactive()
    }
}
