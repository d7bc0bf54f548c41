public import TillCore
public import TillHardware

/// An Adyen terminal on the local network, for the reader service of an app.
///
/// ```swift
/// import TillHardware
///
/// let service = StandardCardReaderService(driver: AdyenTerminalDriver(terminal), limits: .adyenTerminal)
/// try await service.start(NoCardReaderConfig())
/// for await found in service.discoveredReaders {
///     guard let reader = found.first else { continue }
///     try await service.connect(reader)
///     break
/// }
/// let parameters = PaymentIntentParameters(
///     amount: Money(minorUnits: 1250, currency: .eur), order: OrderID(rawValue: "1001"))
/// let paid = try await service.collectPayment(parameters) { intent, order in
///     try await keep(intent, order)  // durable before money can move
/// }
/// print(paid.status, paid.amount)
/// ```
///
/// The terminal has no payment intents: an intent is the name of one payment request, made from the idempotency key.
/// It consists of the terminal's name, a mark of the till (`SaleID`), the request's id (`ServiceID`), the amount and
/// the currency, so that another process of the same till can query the terminal for it. A payment that the terminal
/// has refused is `canceled`: the next attempt is another intent.
///
/// The app must store the intent's id with the order in `PreConfirmation`, for each attempt. After a restart it
/// resolves an order with a stored id first, by `ExistingPaymentIntent`: another terminal or till cannot tell, and a
/// terminal does not remember a payment for ever. A stored payment that the terminal does not know may still arrive
/// there: it is `processing`, and is requested again after ``AdyenTerminal/defaultPatience`` at the earliest.
///
/// The terminal collects the card and takes the money in one request, so ``collect(_:)`` asks for nothing; the card is
/// presented during ``confirm(_:_:)``, and ``cancelCollect()`` of this driver ends that wait. A request whose answer is
/// lost is never sent again while it may still arrive: its outcome is what the terminal tells of it, or unknown.
///
/// ``disconnect()`` and ``clear()`` end every loop; they cancel nothing at the terminal. A payment is refunded at the
/// counter or through Adyen's API.
public actor AdyenTerminalDriver: CardReaderDriver {
    /// The time limit for querying the terminal after a lost answer.
    public static let followTime = Span.seconds(60)
    /// The time after which a request that the terminal does not know is not queried for any longer.
    public static let arrivalTime = Span.seconds(10)
    /// The interval between two queries.
    public static let pollInterval = Span.seconds(1)
    /// The maximum number of payments that a driver remembers; the oldest is forgotten first. One that may still arrive
    /// is not forgotten: instead, no other is sent.
    public static let maximumRemembered = 256

    /// The capabilities of these terminals: they take the money at once, and neither tips nor carts.
    public nonisolated let capabilities = CardReaderDriverCapabilities(
        createsIntents: .onServer, needsConnectionToken: false, refunds: false, reconnects: false,
        reportsRemoval: false, collectsInConfirmation: true)

    private let terminal: AdyenTerminal
    private let clock: any TillClock
    private var handler: CardReaderDriverEventHandler?
    private var isConnected = false
    private let commands = DriverCommands<Command>()
    /// The confirmations that are under way.
    private var takes: [UInt64: Take] = [:]
    private var lastTake: UInt64 = 0
    /// What this process knows of payments.
    private var known: [AdyenTerminalSale: Known] = [:]

    private enum Command { case confirmation }

    private struct Take {
        let sale: AdyenTerminalSale
        var isCalledOff = false
    }

    private enum Known: Equatable {
        /// Made by this process; the terminal did not know it, and it was not sent since.
        case fresh(Timestamp)
        /// It was sent, or may have been sent by another process as late as then, and has no answer.
        case sent(Timestamp)
        /// It was canceled before any card could pay it.
        case canceled(Timestamp)
        /// The terminal has told its outcome.
        case ended(Timestamp)

        var since: Timestamp {
            switch self {
            case .fresh(let time), .sent(let time), .canceled(let time), .ended(let time): time
            }
        }
    }

    /// Creates a driver for one terminal. It serves one service.
    public init(_ terminal: AdyenTerminal, clock: any TillClock = SystemClock()) {
        self.terminal = terminal
        self.clock = clock
    }

    /// Sets the handler for reader events. There is one; the latest replaces any other.
    public func observe(_ handler: @escaping CardReaderDriverEventHandler) async { self.handler = handler }

    // MARK: The terminal

    /// Reports the terminal; nothing is sent.
    /// - Throws: `featureNotAvailableWithConnectedReader` for a discovery by radio or cable.
    public func discover(
        _ request: CardReaderDiscoveryRequest, found: @escaping @Sendable ([CardReader]) async -> Void
    ) async throws(CardReaderFailure) {
        guard request.method == .any || request.method == .internet else {
            throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
        }
        await found([reader(.discovered)])
    }

    /// Does nothing: a discovery has ended at once.
    public func cancelDiscovery() async throws(CardReaderFailure) {}

    /// Selects the terminal. Nothing is sent: the terminal keeps no connection, and other tills may use it in turns.
    public func connect(
        _ reader: CardReader, _ request: CardReaderConnectionRequest
    ) async throws(CardReaderFailure) -> CardReader {
        guard reader.serial == terminal.terminal else { throw CardReaderFailure(.readerNotFound) }
        isConnected = true
        return self.reader(.connected)
    }

    /// Stops using the terminal and ends every loop. A payment that is under way has an unknown outcome afterwards.
    public func disconnect() async throws(CardReaderFailure) { leave() }

    /// Ends every loop. What is remembered of payments that were sent or canceled stays: it keeps them from being sent
    /// again.
    public func clear() async {
        leave()
        known = known.filter { known in
            if case .fresh = known.value { false } else { true }
        }
    }

    private func leave() {
        isConnected = false
        commands.end { _ in true }
    }

    private func reader(_ status: CardReaderStatus) -> CardReader {
        let name = terminal.terminal
        return CardReader(
            serial: name, vendorIdentifier: name, name: name, status: status,
            readerType: CardReaderType(rawValue: String(name.prefix { $0 != "-" })))
    }

    // MARK: Payments

    /// Names the payment by the key, and queries the terminal for it: the same key finds the payment of an app that
    /// died. Moves no money. The request's metadata is not sent.
    /// - Throws: `featureNotAvailableWithConnectedReader` for a hold, a tip or a fee of the platform; `invalidAmount`
    ///   for an amount that is not positive.
    public func createIntent(_ request: CardReaderIntentRequest) async throws(CardReaderFailure) -> PaymentIntent {
        let parameters = request.parameters
        guard parameters.captureMethod != .manual, parameters.tipping == .none, parameters.applicationFee == nil else {
            throw CardReaderFailure(
                .featureNotAvailableWithConnectedReader,
                message: "An Adyen terminal takes the whole amount at once, without a tip or a fee.")
        }
        guard parameters.amount.minorUnits > 0 else { throw CardReaderFailure(.invalidAmount) }
        let sale = AdyenTerminalSale(
            terminal: terminal.terminal, till: terminal.till, amount: parameters.amount, key: request.key)
        return try await read(sale, request.account, parameters.order, isNew: true)
    }

    /// Queries the terminal for a payment.
    /// - Throws: `readerNotFound` for a payment at another terminal or of another till.
    public func retrieveIntent(
        _ id: ProviderReference, clientSecret: Secret<String>?, account: AccountID
    ) async throws(CardReaderFailure) -> PaymentIntent {
        try await read(try sale(id), account, nil)
    }

    /// Returns the intent as it is: the card is presented during the confirmation.
    public func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent {
        guard isConnected else { throw CardReaderFailure(.notConnectedToReader) }
        guard let intent = request.intent else { throw CardReaderFailure(.noActivePaymentIntent) }
        return intent
    }

    /// Requests cancellation of the payment that this driver has at the terminal; its own answer shows whether that was
    /// in time. One that was not sent yet is not sent. Does nothing without one: the terminal may serve another till.
    public func cancelCollect() async throws(CardReaderFailure) {
        for number in takes.keys { takes[number]?.isCalledOff = true }
        for sale in Set(takes.values.map(\.sale)) {
            do throws(AdyenTerminalError) { try await conversation(sale).abort() } catch {
                throw CardReaderFailure(error)
            }
        }
    }

    /// Has the terminal collect the card and take the money. A payment that is known there already is followed, never
    /// requested again.
    /// - Throws: the reason without money, with the intent. An error without an intent means an unknown outcome; call
    ///   it again with the same intent.
    public func confirm(
        _ intent: PaymentIntent, _ request: CardReaderConfirmRequest
    ) async throws(CardReaderFailure) -> PaymentIntent {
        guard isConnected else { throw CardReaderFailure(.notConnectedToReader) }
        let sale = try sale(intent.id)
        let standing = try await commands.run(.confirmation) { [self] () async throws(CardReaderFailure) in
            try await take(sale, intent, request.attempt)
        }
        let after = try PaymentIntent(sale, standing, request.account, intent.order)
        switch standing {
        case .taken:
            remember(sale, .ended(clock.now()))
            return after
        case .refused(let decline):
            remember(sale, .ended(clock.now()))
            throw CardReaderFailure(decline, intent: after)
        case .neverCame: throw CardReaderFailure(open: "the terminal does not know the request yet")
        case .open(let reason): throw CardReaderFailure(open: reason)
        }
    }

    private func take(
        _ sale: AdyenTerminalSale, _ intent: PaymentIntent, _ attempt: CardReaderAttemptID
    ) async throws(CardReaderFailure) -> AdyenTerminalConversation.Standing {
        let conversation = conversation(sale)
        lastTake &+= 1
        let number = lastTake
        takes[number] = Take(sale: sale)
        defer { takes[number] = nil }
        if !isFresh(sale) {
            switch await conversation.standing(sale.amount) {
            case .failure(let error): throw CardReaderFailure(open: error.reason)
            case .success(.neverCame):
                switch known[sale] {
                case .fresh, .canceled: break
                // An earlier copy may still be in transit: the terminal would ask for the card twice.
                case .sent: if mayStillArrive(sale) { return .neverCame }
                // Another process may have sent it.
                case nil:
                    remember(sale, .sent(clock.now()))
                    return .neverCame
                case .ended: return .open("the terminal does not know the payment any more")
                }
            case .success(.open): return await follow(conversation, sale)
            case .success(let end): return end
            }
        }
        await tell(.waitingForInput, attempt)
        // Nothing is awaited from here until the request leaves.
        guard !Task.isCancelled else { throw CardReaderFailure(open: "the confirmation was abandoned") }
        switch known[sale] {
        case .canceled: throw CardReaderFailure(.commandCanceled, intent: AdyenTerminalDriver.canceled(intent))
        case .sent where mayStillArrive(sale): return .open("another confirmation is under way")
        case .ended: return .open("another confirmation has ended")
        case .fresh, .sent, nil: break
        }
        if takes[number]?.isCalledOff == true { throw CardReaderFailure(.commandCanceled, intent: intent) }
        guard remember(sale, .sent(clock.now())) else {
            throw CardReaderFailure(.readerBusy, message: "Too many payments have no outcome.")
        }
        switch await conversation.pay(sale.amount) {
        case .success(.refused(let decline)) where decline.reason == .readerUnavailable:
            // It may be busy with an earlier copy of this very request.
            let now = await follow(conversation, sale)
            return now == .neverCame ? .refused(decline) : now
        case .success(.neverCame), .success(.open): return await follow(conversation, sale)
        case .success(let end): return end
        case .failure(.notSent(let reason)):
            if case .sent = known[sale] { remember(sale, .fresh(clock.now())) }
            // Nothing was sent, and the terminal did not know it: certainly not paid.
            var failure = CardReaderFailure(.readerOffline, intent: intent)
            failure.details.message = reason
            throw failure
        case .failure: return await follow(conversation, sale)
        }
    }

    /// Queries the terminal until the outcome is known, within limits.
    private func follow(
        _ conversation: AdyenTerminalConversation, _ sale: AdyenTerminalSale
    ) async -> AdyenTerminalConversation.Standing {
        let began = clock.now()
        var last = AdyenTerminalConversation.Standing.open("the terminal was not heard")
        repeat {
            guard !Task.isCancelled else { return .open("the confirmation was abandoned") }
            let age = clock.now().since(began)
            switch await conversation.standing(sale.amount) {
            case .success(.taken(let authorization)): return .taken(authorization)
            case .success(.refused(let decline)): return .refused(decline)
            case .success(.neverCame):
                last = .neverCame
                if age >= AdyenTerminalDriver.arrivalTime { return last }
            case .success(.open(let reason)): last = .open(reason)
            case .failure(let error): last = .open(error.reason)
            }
            if age >= AdyenTerminalDriver.followTime { return last }
        } while await clock.pause(for: AdyenTerminalDriver.pollInterval)
        return .open("the confirmation was abandoned")
    }

    /// Cancels a payment that was not taken, so that no card can pay it. One that is taken is returned as it is.
    public func cancelIntent(
        _ intent: PaymentIntent, key: IdempotencyKey
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let sale = try sale(intent.id)
        let now = try await read(sale, intent.account, intent.order)
        switch now.status {
        case .succeeded, .canceled: return now
        default: break
        }
        if !isFresh(sale) {
            let before = known[sale]
            // It had an outcome, which the terminal does not tell any more.
            if case .ended = before {
                throw CardReaderFailure(open: "the terminal does not know the payment any more")
            }
            switch await conversation(sale).callOff(sentAt: before?.since ?? clock.now()) {
            case .canceled:
                guard known[sale] == before else { throw CardReaderFailure(open: "a confirmation came between") }
            case .taken: return try await read(sale, intent.account, intent.order)
            case .notSent(let reason), .open(let reason): throw CardReaderFailure(open: reason)
            }
        }
        guard remember(sale, .canceled(clock.now())) else {
            throw CardReaderFailure(open: "too many payments have no outcome")
        }
        return AdyenTerminalDriver.canceled(now)
    }

    private static func canceled(_ intent: PaymentIntent) -> PaymentIntent {
        var intent = intent
        intent.status = .canceled
        return intent
    }

    // MARK: What they share

    private func sale(_ id: ProviderReference) throws(CardReaderFailure) -> AdyenTerminalSale {
        guard let sale = AdyenTerminalSale(id) else { throw CardReaderFailure(.paymentIntentIDMissing) }
        guard sale.terminal == terminal.terminal else {
            throw CardReaderFailure(
                .readerNotFound,
                message: "Terminal \(sale.terminal) was asked; terminal \(terminal.terminal) cannot tell.")
        }
        guard sale.till == AdyenTerminalSale.mark(of: terminal.till) else {
            throw CardReaderFailure(
                .readerNotFound, message: "Another till than \(terminal.till) asked; only that one can be told.")
        }
        return sale
    }

    private func conversation(_ sale: AdyenTerminalSale) -> AdyenTerminalConversation {
        AdyenTerminalConversation(terminal: terminal, clock: clock, name: sale.name, attempt: sale.name)
    }

    /// - Parameter isNew: `true` if no process has sent the payment yet, unless the terminal knows it.
    private func read(
        _ sale: AdyenTerminalSale, _ account: AccountID, _ order: OrderID?, isNew: Bool = false
    ) async throws(CardReaderFailure) -> PaymentIntent {
        var standing: AdyenTerminalConversation.Standing
        switch await conversation(sale).standing(sale.amount) {
        case .failure(let error): throw CardReaderFailure(error)
        case .success(let now): standing = now
        }
        switch standing {
        case .taken, .refused: remember(sale, .ended(clock.now()))
        case .neverCame:
            // What was done meanwhile is later news than this answer.
            switch known[sale] {
            case nil where isNew, .fresh where isNew: remember(sale, .fresh(clock.now()))
            case .fresh: break
            case nil:
                remember(sale, .sent(clock.now()))
                standing = .open("it may still arrive")
            case .sent: if mayStillArrive(sale) { standing = .open("it may still arrive") }
            case .canceled: standing = .refused(Decline(reason: .canceledAtReader, code: "canceled"))
            case .ended: standing = .open("the terminal does not know the payment any more")
            }
        case .open:
            switch known[sale] {
            case nil, .fresh: remember(sale, .sent(clock.now()))
            case .sent, .canceled, .ended: break
            }
        }
        return try PaymentIntent(sale, standing, account, order)
    }

    /// `true` if the terminal just said that it does not know the payment, which this process made and has not sent.
    private func isFresh(_ sale: AdyenTerminalSale) -> Bool {
        guard case .fresh(let time) = known[sale] else { return false }
        return clock.now().since(time) < AdyenTerminalDriver.arrivalTime
    }

    /// `true` for a payment that was sent and may still be in transit.
    private func mayStillArrive(_ sale: AdyenTerminalSale) -> Bool {
        guard case .sent(let time) = known[sale] else { return false }
        return !conversation(sale).isOver(time)
    }

    /// Returns `false` if there is no room: every payment that is remembered may still arrive.
    @discardableResult
    private func remember(_ sale: AdyenTerminalSale, _ what: Known) -> Bool {
        if known[sale] == nil, known.count >= AdyenTerminalDriver.maximumRemembered {
            let settled = known.filter { !mayStillArrive($0.key) }
            guard let oldest = settled.min(by: { $0.value.since < $1.value.since })?.key else { return false }
            known[oldest] = nil
        }
        known[sale] = what
        return true
    }

    private func tell(_ type: CardReaderEventType, _ attempt: CardReaderAttemptID) async {
        var event = CardReaderEvent(type)
        event.attempt = attempt
        await handler?(.reader(event))
    }
}

extension CardReaderServiceLimits {
    /// The limits for a service with an ``AdyenTerminalDriver``: its confirmation includes the wait for the card.
    public static var adyenTerminal: CardReaderServiceLimits {
        var limits = CardReaderServiceLimits()
        limits.confirm = .seconds(300)
        return limits
    }
}
