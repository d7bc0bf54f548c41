import Synchronization
import TillCore
import TillTestSupport

@testable import TillHardware

/// A vendor that does what a test says: a reader, the people in front of it, and a provider that keeps honest books.
/// Its faults are in the way between the service and those books.
final class ScriptedDriver: CardReaderDriver {
    enum Point: String, CaseIterable, Sendable {
        case discover, cancelDiscovery, connect, disconnect, createIntent, retrieveIntent, collect, cancelCollect
        case confirm, cancelIntent, refund, cancelRefund, installUpdate, cancelUpdate, cancelReconnection, display
        case clear, collectSealed
    }

    enum Fault: Sendable {
        /// It works.
        case none
        /// It does not happen, and fails.
        case fail(CardReaderFailure)
        /// It happens, and fails all the same.
        case happensThenFails(CardReaderFailure)
        /// It does not happen, and nobody hears of it until the test is over.
        case hangs
        /// It happens, and nobody hears of it until the test is over.
        case happensThenHangs
        /// It happens at once and is told after a while.
        case reportedAfter(Span)
        /// It happens after a while.
        case after(Span)
    }

    /// What the customer does.
    enum Customer: Sendable {
        case pays(after: Span)
        case isDeclined(after: Span, reason: DeclineReason)
        case cancels(after: Span)
        case neverComes
    }

    struct Book: Sendable {
        var intent: PaymentIntent
        let key: IdempotencyKey
        var answers: [IdempotencyKey: Result<PaymentIntent, CardReaderFailure>] = [:]
        var cardDeclines: DeclineReason?
        var confirms = 0
    }

    struct State {
        var faults: [Point: [Fault]] = [:]
        var always: [Point: Fault] = [:]
        var calls: [Point: Int] = [:]
        var running: Set<Point> = []
        var overlaps: [String] = []
        var handler: CardReaderDriverEventHandler?
        var devices = [ScriptedDriver.m2]
        var customer = Customer.pays(after: .seconds(2))
        var waiting: Reply<CardReaderFailure?>?
        var waitingForRefund: Reply<CardReaderFailure?>?
        var books: [ProviderReference: Book] = [:]
        var byKey: [IdempotencyKey: ProviderReference] = [:]
        var refunds: [IdempotencyKey: CardReaderRefund] = [:]
        var refundStatus = CardReaderRefundStatus.succeeded
        var hanging: [Reply<Void>] = []
        var lastID = 0
        var tokens: [String] = []
        /// The account of the last token: what a kit that keeps an old one would use.
        var sessionAccount: AccountID?
        var usesStaleAccount = false
        var tip: Int64 = 0
        var answersForOther: PaymentIntent?
        /// What a refund says that it gave back, if it is not what was asked for.
        var refundAmount: Money?
        /// What the last discovery was given, as a kit that keeps it would.
        var discovery: CardReaderDiscoveryRequest?
        var found: (@Sendable ([CardReader]) async -> Void)?
        var confirmKeys: [IdempotencyKey] = []
    }

    static let m2 = CardReader(
        serial: "M2-1", vendorIdentifier: "tmr_1", name: "Counter", softwareVersion: "1.0",
        battery: CardReaderBattery(percent: 80, isCharging: false), readerType: .stripeM2)
    static let p400 = CardReader(serial: "P400-1", vendorIdentifier: "tmr_2", readerType: .verifoneP400)

    let capabilities: CardReaderDriverCapabilities
    let clock: any TillClock
    let executor: (any TaskExecutor)?
    let state = Mutex(State())

    init(
        clock: any TillClock, executor: (any TaskExecutor)?,
        capabilities: CardReaderDriverCapabilities = CardReaderDriverCapabilities(
            createsIntents: .onDevice, needsConnectionToken: true, amountLimits: .narrow, refunds: true,
            reconnects: true)
    ) {
        self.clock = clock
        self.executor = executor
        self.capabilities = capabilities
    }

    // MARK: What a test sets and sees

    func set(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    func next(_ point: Point, _ faults: Fault...) { state.withLock { $0.faults[point, default: []] += faults } }
    func always(_ point: Point, _ fault: Fault?) { state.withLock { $0.always[point] = fault } }
    func customer(_ customer: Customer) { state.withLock { $0.customer = customer } }
    func calls(_ point: Point) -> Int { state.withLock { $0.calls[point] ?? 0 } }
    func isRunning(_ point: Point) -> Bool { state.withLock { $0.running.contains(point) } }
    var refundCount: Int { state.withLock { $0.refunds.count } }
    var overlaps: [String] { state.withLock { $0.overlaps } }
    var books: [Book] { state.withLock { $0.books.values.sorted { $0.intent.id.rawValue < $1.intent.id.rawValue } } }
    func book(_ id: ProviderReference) -> Book? { state.withLock { $0.books[id] } }

    /// Intents of an order that hold or took money.
    func paid(_ order: OrderID) -> [PaymentIntent] {
        books.map(\.intent).filter { $0.order == order && $0.status.moneyMoved == .yes }
    }

    func say(_ event: CardReaderDriverEvent) async {
        let handler = state.withLock { $0.handler }
        await handler?(event)
    }

    /// Lets everything go that hangs, at the end of a test.
    func release() {
        let hanging = state.withLock { state in
            defer { state.hanging = [] }
            return state.hanging
        }
        for reply in hanging { reply.give(()) }
    }

    // MARK: Faults

    private static let exclusive: Set<Point> = [
        .collect, .confirm, .refund, .installUpdate, .collectSealed, .connect, .discover,
    ]

    private func at<Value: Sendable>(
        _ point: Point, _ body: () async throws(CardReaderFailure) -> Value
    ) async throws(CardReaderFailure) -> Value {
        let fault: Fault = state.withLock { state in
            state.calls[point, default: 0] += 1
            if Self.exclusive.contains(point), let other = state.running.intersection(Self.exclusive).first {
                state.overlaps.append("\(point.rawValue) during \(other.rawValue)")
            }
            state.running.insert(point)
            if var queue = state.faults[point], !queue.isEmpty {
                let fault = queue.removeFirst()
                state.faults[point] = queue
                return fault
            }
            return state.always[point] ?? .none
        }
        defer { state.withLock { _ = $0.running.remove(point) } }
        switch fault {
        case .none: return try await body()
        case .fail(let failure): throw failure
        case .happensThenFails(let failure):
            _ = try await body()
            throw failure
        case .hangs:
            await hang()
            throw CardReaderFailure(.commandCanceled)
        case .happensThenHangs:
            let result: Result<Value, CardReaderFailure>
            do throws(CardReaderFailure) { result = .success(try await body()) } catch { result = .failure(error) }
            await hang()
            return try result.get()
        case .reportedAfter(let span):
            let result: Result<Value, CardReaderFailure>
            do throws(CardReaderFailure) { result = .success(try await body()) } catch { result = .failure(error) }
            try? await clock.sleep(for: span)
            return try result.get()
        case .after(let span):
            try? await clock.sleep(for: span)
            return try await body()
        }
    }

    private func hang() async {
        let reply = Reply<Void>()
        state.withLock { $0.hanging.append(reply) }
        await reply.value()
    }

    // MARK: The driver

    func observe(_ handler: @escaping CardReaderDriverEventHandler) async { state.withLock { $0.handler = handler } }

    func discover(
        _ request: CardReaderDiscoveryRequest, found: @escaping @Sendable ([CardReader]) async -> Void
    ) async throws(CardReaderFailure) {
        state.withLock { state in
            state.discovery = request
            state.found = found
        }
        try await at(.discover) { () async throws(CardReaderFailure) -> Void in
            try await takeToken(request.configuration)
            await found(state.withLock { $0.devices })
            let reply = Reply<CardReaderFailure?>()
            state.withLock { $0.waiting = reply }
            if let failure = await reply.value() { throw failure }
        }
    }

    private func takeToken(_ configuration: any CardReaderConfigProvider) async throws(CardReaderFailure) {
        do {
            let token = try await configuration.connectionToken()
            state.withLock { state in
                state.tokens.append(token.reveal())
                if state.sessionAccount == nil || !state.usesStaleAccount {
                    state.sessionAccount = configuration.account
                }
            }
        } catch { throw error as? CardReaderFailure ?? CardReaderFailure(.connectionTokenFailed) }
    }

    func cancelDiscovery() async throws(CardReaderFailure) {
        try await at(.cancelDiscovery) { () async throws(CardReaderFailure) -> Void in
            state.withLock { $0.waiting }?.give(CardReaderFailure(.commandCanceled))
        }
    }

    func connect(
        _ reader: CardReader, _ request: CardReaderConnectionRequest
    ) async throws(CardReaderFailure) -> CardReader {
        try await at(.connect) { () async throws(CardReaderFailure) -> CardReader in
            try await takeToken(request.configuration)
            return reader
        }
    }

    func disconnect() async throws(CardReaderFailure) {
        try await at(.disconnect) { () async throws(CardReaderFailure) -> Void in
            endWaiting()
            // A reader that was let go ends what it was doing.
            state.withLock { $0.running = [] }
            release()
        }
    }

    private func endWaiting() {
        let (card, refund) = state.withLock { ($0.waiting, $0.waitingForRefund) }
        card?.give(CardReaderFailure(.notConnectedToReader))
        refund?.give(CardReaderFailure(.notConnectedToReader))
    }

    func createIntent(_ request: CardReaderIntentRequest) async throws(CardReaderFailure) -> PaymentIntent {
        try await at(.createIntent) { () async throws(CardReaderFailure) -> PaymentIntent in
            try state.withLock { state throws(CardReaderFailure) in
                if let id = state.byKey[request.key], let book = state.books[id] { return book.intent }
                state.lastID += 1
                let intent = try PaymentIntent(
                    id: ProviderReference(rawValue: "pi_\(state.lastID)"),
                    account: state.usesStaleAccount ? state.sessionAccount ?? request.account : request.account,
                    order: request.parameters.order, status: .requiresPaymentMethod,
                    amount: request.parameters.amount, metadata: request.metadata)
                state.books[intent.id] = Book(intent: intent, key: request.key)
                state.byKey[request.key] = intent.id
                return intent
            }
        }
    }

    /// An intent that the shop's server made.
    func serverIntent(_ order: OrderID, _ amount: Money, account: AccountID) throws -> PaymentIntent {
        try state.withLock { state in
            state.lastID += 1
            let intent = try PaymentIntent(
                id: ProviderReference(rawValue: "pi_\(state.lastID)"), account: account, order: order,
                status: .requiresPaymentMethod, amount: amount)
            state.books[intent.id] = Book(intent: intent, key: IdempotencyKey(rawValue: "server-\(state.lastID)"))
            return intent
        }
    }

    func retrieveIntent(
        _ id: ProviderReference, clientSecret: Secret<String>?, account: AccountID
    ) async throws(CardReaderFailure) -> PaymentIntent {
        try await at(.retrieveIntent) { () async throws(CardReaderFailure) -> PaymentIntent in
            guard let intent = book(id)?.intent else { throw CardReaderFailure(.confirmInvalidPaymentIntent) }
            return intent
        }
    }

    func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent {
        try await at(.collect) { () async throws(CardReaderFailure) -> PaymentIntent in
            guard let id = request.intent?.id else { throw CardReaderFailure(.nilPaymentIntent) }
            let declines = try await customerComes()
            if let other = state.withLock({ $0.answersForOther }) { return other }
            let tip = state.withLock { $0.tip }
            return try state.withLock { state throws(CardReaderFailure) in
                guard var book = state.books[id],
                    book.intent.status == .requiresPaymentMethod
                        || book.intent.status == .requiresConfirmation
                else { throw CardReaderFailure(.intentInvalidState, intent: state.books[id]?.intent) }
                book.intent.status = .requiresConfirmation
                book.cardDeclines = declines
                book.intent.collected = .cardPresent(
                    details: CardPresentTransactionDetails(brand: .visa, lastFour: "4242", readMethod: .contactEMV))
                if tip > 0, book.intent.tip == nil {
                    book.intent.tip = Money(minorUnits: tip, currency: book.intent.amount.currency)
                    book.intent.amount = Money(
                        minorUnits: book.intent.amount.minorUnits + tip, currency: book.intent.amount.currency)
                }
                state.books[id] = book
                return book.intent
            }
        }
    }

    private func customerComes() async throws(CardReaderFailure) -> DeclineReason? {
        let reply = Reply<CardReaderFailure?>()
        let customer = state.withLock { state in
            state.waiting = reply
            return state.customer
        }
        await say(.reader(CardReaderEvent(.waitingForInput, input: [.insert, .tap])))
        switch customer {
        case .pays(let after), .isDeclined(let after, _): come(after, reply, nil)
        case .cancels(let after): come(after, reply, CardReaderFailure(.commandCanceled))
        case .neverComes: break
        }
        if let failure = await reply.value() { throw failure }
        if case .isDeclined(_, let reason) = customer { return reason }
        return nil
    }

    private func come(_ after: Span, _ reply: Reply<CardReaderFailure?>, _ answer: CardReaderFailure?) {
        let clock = clock
        Task(executorPreference: executor) {
            try? await clock.sleep(for: after)
            reply.give(answer)
        }
    }

    func cancelCollect() async throws(CardReaderFailure) {
        try await at(.cancelCollect) { () async throws(CardReaderFailure) -> Void in
            state.withLock { $0.waiting }?.give(CardReaderFailure(.commandCanceled))
        }
    }

    func confirm(
        _ intent: PaymentIntent, _ request: CardReaderConfirmRequest
    ) async throws(CardReaderFailure) -> PaymentIntent {
        state.withLock { $0.confirmKeys.append(request.key) }
        return try await at(.confirm) { () async throws(CardReaderFailure) -> PaymentIntent in
            let result: Result<PaymentIntent, CardReaderFailure> = state.withLock { state in
                guard var book = state.books[intent.id] else { return .failure(CardReaderFailure(.nilPaymentIntent)) }
                defer { state.books[intent.id] = book }
                if let answer = book.answers[request.key] { return answer }
                if book.intent.status.moneyMoved == .yes { return .success(book.intent) }
                guard book.intent.status == .requiresConfirmation else {
                    return .failure(CardReaderFailure(.confirmInvalidPaymentIntent, intent: book.intent))
                }
                book.confirms += 1
                let answer = Self.decide(&book)
                book.answers[request.key] = answer
                return answer
            }
            return try result.get()
        }
    }

    private static func decide(_ book: inout Book) -> Result<PaymentIntent, CardReaderFailure> {
        let charge = ProviderReference(rawValue: "ch_\(book.intent.id.rawValue.dropFirst(3))_\(book.confirms)")
        guard let reason = book.cardDeclines else {
            book.intent.status = .requiresCapture
            book.intent.charges.append(
                Charge(
                    id: charge, amount: book.intent.amount, status: .succeeded, paymentMethod: book.intent.collected))
            return .success(book.intent)
        }
        let decline = Decline(reason: reason, code: reason.rawValue, message: "no", requestID: "req_1")
        book.intent.status = .requiresPaymentMethod
        book.intent.lastDecline = decline
        book.intent.charges.append(Charge(id: charge, amount: book.intent.amount, status: .failed))
        var details = CardReaderErrorDetails()
        details.decline = decline
        details.requestID = "req_1"
        details.providerCode = .sdk(6000)
        return .failure(
            CardReaderFailure(.paymentDeclinedByPaymentProcessor, details: details, intent: book.intent))
    }

    func cancelIntent(
        _ intent: PaymentIntent, key: IdempotencyKey
    ) async throws(CardReaderFailure) -> PaymentIntent {
        try await at(.cancelIntent) { () async throws(CardReaderFailure) -> PaymentIntent in
            try state.withLock { state throws(CardReaderFailure) in
                guard var book = state.books[intent.id] else { throw CardReaderFailure(.nilPaymentIntent) }
                if book.intent.status.moneyMoved != .yes { book.intent.status = .canceled }
                state.books[intent.id] = book
                return book.intent
            }
        }
    }

    func refund(_ parameters: RefundParameters) async throws(CardReaderFailure) -> CardReaderRefund {
        try await at(.refund) { () async throws(CardReaderFailure) -> CardReaderRefund in
            let reply = Reply<CardReaderFailure?>()
            let customer = state.withLock { state in
                state.waitingForRefund = reply
                return state.customer
            }
            switch customer {
            case .pays(let after), .isDeclined(let after, _): come(after, reply, nil)
            case .cancels(let after): come(after, reply, CardReaderFailure(.commandCanceled))
            case .neverComes: break
            }
            if let failure = await reply.value() { throw failure }
            return state.withLock { state in
                if let done = state.refunds[parameters.key] { return done }
                let refund = CardReaderRefund(
                    id: ProviderReference(rawValue: "re_\(state.refunds.count + 1)"), charge: parameters.charge,
                    amount: state.refundAmount ?? parameters.amount, status: state.refundStatus)
                state.refunds[parameters.key] = refund
                return refund
            }
        }
    }

    func cancelRefund() async throws(CardReaderFailure) {
        try await at(.cancelRefund) { () async throws(CardReaderFailure) -> Void in
            state.withLock { $0.waitingForRefund }?.give(CardReaderFailure(.commandCanceled))
        }
    }

    func installUpdate() async throws(CardReaderFailure) {
        try await at(.installUpdate) { () async throws(CardReaderFailure) -> Void in
            await say(.updateStarted(isCancelable: true))
            await say(.updateProgress(50))
            let reply = Reply<CardReaderFailure?>()
            state.withLock { $0.waiting = reply }
            come(.minutes(3), reply, nil)
            if let failure = await reply.value() { throw failure }
            await say(.updateEnded)
        }
    }

    func cancelUpdate() async throws(CardReaderFailure) {
        try await at(.cancelUpdate) { () async throws(CardReaderFailure) -> Void in
            state.withLock { $0.waiting }?.give(CardReaderFailure(.readerSoftwareUpdateFailedInterrupted))
        }
    }

    func cancelReconnection() async throws(CardReaderFailure) {
        try await at(.cancelReconnection) { () async throws(CardReaderFailure) -> Void in }
    }

    func display(_ cart: ReaderCart?) async throws(CardReaderFailure) {
        try await at(.display) { () async throws(CardReaderFailure) -> Void in }
    }

    func clear() async {
        try? await at(.clear) { () async throws(CardReaderFailure) -> Void in
            endWaiting()
            state.withLock { state in
                state.running = []
                if !state.usesStaleAccount { state.sessionAccount = nil }
            }
            release()
        }
    }
}

extension AmountLimits {
    /// Limits such as a provider has them, for tests.
    static let narrow = AmountLimits(least: ["EUR": 50, "GBP": 30, "JPY": 50, "USD": 50], most: 99_999_999)
}
