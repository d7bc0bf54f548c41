public import TillCore
public import TillHardware

/// Stripe's smart readers, driven over REST, for `TillHardware.CardReaderService`.
///
/// A smart reader connects to Stripe, not to a counter: connecting to one verifies that it is available and selects it
/// for use. Collecting and charging are two commands, with the shop's durable write between them. The outcome is told
/// as by ``StripeTerminalProvider``: by the payment intent and by Stripe's list of refunds. A confirmation that ends
/// without either is unknown; one that a reader reports as failed without the issuer's decline cancels the intent, so
/// that no card can pay it later.
///
/// ``disconnect()`` and ``clear()`` end every loop; they cancel nothing at the reader.
public actor StripeTerminalDriver: CardReaderDriver {
    /// The maximum number of refunds without an outcome; beyond it none is sent.
    public static let maximumOpenRefunds = 256

    /// The capabilities of these readers.
    public nonisolated let capabilities = CardReaderDriverCapabilities(
        createsIntents: .onServer, needsConnectionToken: false, amountLimits: .stripe, refunds: true,
        reportsRemoval: false)

    private let terminal: StripeTerminal
    private let clock: any TillClock
    private var handler: CardReaderDriverEventHandler?
    private var connected: TerminalReader?
    /// Counts connections begun and ended: a connection that another one has overtaken is not kept.
    private var generation: UInt64 = 0
    private let commands = DriverCommands<Command>()
    private var lastKey: UInt64 = 0

    /// The refunds that ended open, with the time of the last such end.
    private var openRefunds: [IdempotencyKey: Timestamp] = [:]

    /// A command about a payment intent.
    private enum Command {
        case collection(ProviderReference)
        case confirmation(ProviderReference)
        case refund(ProviderReference)

        var isCollection: Bool { if case .collection = self { true } else { false } }
        var isRefund: Bool { if case .refund = self { true } else { false } }

        /// Returns `true` if an action in the reader's slot is this command's.
        func owns(_ action: TerminalAction) -> Bool {
            switch self {
            case .collection(let intent): action.kind == .collectPaymentMethod && action.paymentIntent == intent
            case .confirmation(let intent): action.kind == .confirmPaymentIntent && action.paymentIntent == intent
            case .refund(let intent): action.kind == .refundPayment && action.paymentIntent == intent
            }
        }
    }

    /// Creates a driver for the readers of an account.
    public init(_ terminal: StripeTerminal) {
        self.terminal = terminal
        clock = terminal.clock
    }

    /// Sets the handler for reader events. There is one; the latest replaces any other.
    public func observe(_ handler: @escaping CardReaderDriverEventHandler) async { self.handler = handler }

    // MARK: Readers

    /// Lists the account's smart readers once, by a query to Stripe; no radio is used.
    /// - Throws: `featureNotAvailableWithConnectedReader` for a discovery method that smart readers do not support.
    public func discover(
        _ request: CardReaderDiscoveryRequest, found: @escaping @Sendable ([CardReader]) async -> Void
    ) async throws(CardReaderFailure) {
        guard request.method == .any || request.method == .internet else {
            throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
        }
        let all = try await call { try await terminal.readers() }
        await found(all.filter { $0.deviceType.isSmart }.map { CardReader(stripe: $0) })
    }

    /// Does nothing: discovery ends as soon as the list has arrived.
    public func cancelDiscovery() async throws(CardReaderFailure) {}

    /// Verifies that the reader is available at the counter's location, and selects it for use. Stripe keeps no
    /// connection, so two counters can use one reader in turns.
    /// - Throws: `readerBusy` if it is in use and the options forbid that; `readerNotFound` at another location.
    public func connect(
        _ reader: CardReader, _ request: CardReaderConnectionRequest
    ) async throws(CardReaderFailure) -> CardReader {
        let name = reader.vendorIdentifier ?? reader.serial
        generation &+= 1
        let begun = generation
        let found = try await call { try await terminal.reader(named: name) }
        if request.options.failsIfInUse, found.action?.status == .inProgress {
            throw CardReaderFailure(stripeAPI: "terminal_reader_busy")
        }
        let place: String?
        do { place = try await request.configuration.locationID() } catch {
            throw error as? CardReaderFailure ?? CardReaderFailure(.invalidLocation)
        }
        if let place, place != found.location {
            throw CardReaderFailure(
                .readerNotFound, message: "The reader stands at another location than this counter.")
        }
        guard generation == begun, !Task.isCancelled else { throw CardReaderFailure(.connectionAttemptInvalidated) }
        connected = found
        var known = CardReader(stripe: found)
        known.status = .connected
        return known
    }

    /// Stops using the reader and ends every loop. Cancels nothing: a confirmation or a refund that is under way has an
    /// unknown outcome afterwards.
    public func disconnect() async throws(CardReaderFailure) { leave() }

    public func clear() async { leave() }

    private func leave() {
        connected = nil
        generation &+= 1
        commands.end { _ in true }
    }

    /// Shows a cart on the reader's screen; without one, its default screen.
    /// - Throws: `readerBusy` while another till uses the reader; `invalidAmount` for an amount that Stripe cannot
    ///   represent.
    public func display(_ cart: ReaderCart?) async throws(CardReaderFailure) {
        let reader = try reader()
        let now = try await call { try await terminal.reader(reader) }
        if let other = now.action?.occupies(except: nil) { throw CardReaderFailure(.occupied(other)) }
        guard let cart else {
            let key = key("display")
            _ = try await call { try await terminal.cancelAction(at: reader, key: key) }
            return
        }
        let shown: TerminalCart
        do {
            let codec = AmountCodec.stripe
            shown = TerminalCart(
                currency: cart.total.currency.code.lowercased(),
                lines: try cart.lines.map {
                    TerminalCart.Line(
                        description: $0.description, amount: try codec.wireAmount($0.amount),
                        quantity: Int64($0.quantity))
                }, tax: try codec.wireAmount(cart.tax), total: try codec.wireAmount(cart.total))
        } catch {
            throw CardReaderFailure(.invalidAmount, message: "\(error)")
        }
        let key = key("display")
        _ = try await call { try await terminal.display(shown, at: reader, key: key) }
    }

    // MARK: Payments

    /// Creates a payment intent on the server and reads it. Moves no money; the same key returns the same intent.
    public func createIntent(_ request: CardReaderIntentRequest) async throws(CardReaderFailure) -> PaymentIntent {
        let parameters = request.parameters
        guard let wire = AmountCodec.stripe.wireAmount(ifExact: parameters.amount) else {
            throw CardReaderFailure(.invalidAmount, message: "Stripe cannot take \(parameters.amount).")
        }
        var draft = TerminalIntentDraft(amount: wire, currency: parameters.amount.currency.code.lowercased())
        draft.paymentMethodTypes = parameters.methods.map(\.rawValue)
        draft.captureMethod = parameters.captureMethod.rawValue
        draft.requestsExtendedAuthorization = parameters.requestsExtendedAuthorization
        draft.requestsIncrementalAuthorization = parameters.requestsIncrementalAuthorization
        draft.requestedPriority = parameters.requestedPriority?.rawValue
        draft.description = parameters.description
        draft.statementDescriptor = parameters.statementDescriptor?.text
        draft.receiptEmail = parameters.receiptEmail?.text
        if let fee = parameters.applicationFee {
            guard let wire = AmountCodec.stripe.wireAmount(ifExact: fee) else {
                throw CardReaderFailure(.invalidAmount, message: "Stripe cannot take a fee of \(fee).")
            }
            draft.applicationFee = wire
        }
        draft.metadata = request.metadata
        let made = draft
        let id = try await call { try await terminal.createIntent(made, key: request.key) }
        return try await retrieveIntent(id, clientSecret: nil, account: request.account)
    }

    /// Reads an intent with its latest charge, which is authoritative if the reader and Stripe disagree.
    public func retrieveIntent(
        _ id: ProviderReference, clientSecret: Secret<String>?, account: AccountID
    ) async throws(CardReaderFailure) -> PaymentIntent {
        try await call {
            try await terminal.read(TerminalCall.intent(id), { PaymentIntent(stripe: $0, account: account) })
        }
    }

    /// Collects a card at the reader and waits for the end. Nothing is charged.
    /// - Throws: the reason that there is no card, with the current intent; `readerBusy` while another till uses the
    ///   reader.
    public func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent {
        let reader = try reader()
        guard let intent = request.intent else { throw CardReaderFailure(.noActivePaymentIntent) }
        var settings = TerminalCollection(customerCancels: request.parameters.allowsCustomerCancellation)
        switch request.parameters.tipping {
        case .none: settings.skipsTipping = true
        case .onWholeAmount: settings.skipsTipping = false
        case .onPart(let part): settings.tipEligible = AmountCodec.stripe.wireAmount(ifExact: part)
        }
        let sale = ReaderConversation.Sale(
            intent: intent.id, amount: intent.withoutTip, kind: .collectPaymentMethod,
            command: TerminalCall.collect(reader, intent.id, settings, key: key("collect-\(intent.id)")),
            charges: intent.chargeIDs, forgo: { false })
        switch try await sell(sale, .collection(intent.id), conversation(at: reader, asks: true)) {
        case .collected(let now, let action):
            await tell(.cardInserted)
            await tell(.cardDetailsCollected)
            var collected = try PaymentIntent(now, account: request.account)
            collected.collected = action.collected
            return collected
        case .moved(let now): return try PaymentIntent(now, account: request.account)
        case .notMoved(let cause, let now):
            throw CardReaderFailure(
                cause, intent: now.flatMap { PaymentIntent(stripe: $0.json, account: request.account) })
        case .notDone(let error): throw CardReaderFailure(error)
        case .abandoned: throw CardReaderFailure(.commandCanceled)
        case .open(let reason): throw CardReaderFailure(open: reason)
        }
    }

    /// Cancels a collection of this driver at the reader and ends it. Refused once the card is being read; what another
    /// till does at the reader is left alone.
    public func cancelCollect() async throws(CardReaderFailure) {
        do throws(CardReaderFailure) { try await callOff { $0.isCollection } } catch {
            // The card is being read: the collection ends by itself.
            if error.underlyingError != .readerBusy { commands.end { $0.isCollection } }
            throw error
        }
        commands.end { $0.isCollection }
    }

    /// Charges the collected card and waits for the intent's outcome; the reader's report is not sufficient.
    /// - Throws: a refusal with the current intent. An error without an intent means an unknown outcome; retry only the
    ///   same intent with the same key.
    public func confirm(
        _ intent: PaymentIntent, _ request: CardReaderConfirmRequest
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let reader = try reader()
        let sale = ReaderConversation.Sale(
            intent: intent.id, amount: intent.withoutTip, kind: .confirmPaymentIntent,
            command: TerminalCall.confirm(reader, intent.id, key: request.key), charges: intent.chargeIDs,
            forgo: { await self.forgo(intent, request.key) })
        switch try await sell(sale, .confirmation(intent.id), conversation(at: reader)) {
        case .moved(let now), .collected(let now, _):
            let paid = try PaymentIntent(now, account: request.account)
            if paid.paymentMethod?.cardPresentDetails?.readMethod == .contactEMV { await tell(.removeCard) }
            return paid
        case .notMoved(let cause, let now):
            // Without a state it was canceled to be certain: read once more.
            let after =
                if let now { try PaymentIntent(now, account: request.account) } else {
                    try await retrieveIntent(intent.id, clientSecret: nil, account: request.account)
                }
            throw CardReaderFailure(cause, intent: after)
        case .notDone(let error): throw CardReaderFailure(error)
        case .abandoned: throw CardReaderFailure(open: "the confirmation was abandoned")
        case .open(let reason): throw CardReaderFailure(open: reason)
        }
    }

    private func sell(
        _ sale: ReaderConversation.Sale, _ command: Command, _ conversation: ReaderConversation
    ) async throws(CardReaderFailure) -> ReaderConversation.Outcome {
        try await commands.run(command) { () async throws(CardReaderFailure) in
            await conversation.sell(sale).outcome
        }
    }

    /// Cancels an intent whose card was not charged, as the reader says.
    private func forgo(_ intent: PaymentIntent, _ key: IdempotencyKey) async -> Bool {
        let key = IdempotencyKey(rawValue: "\(key)-forgo-\(clock.now().milliseconds)")
        return (try? await cancelIntent(intent, key: key))?.status == .canceled
    }

    /// Cancels an intent so that no card can pay it. An intent that has received money is left unchanged and returned.
    public func cancelIntent(
        _ intent: PaymentIntent, key: IdempotencyKey
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let cancel = StripeRequest.post(StripePath.paymentIntent(intent.id, "cancel"), key: key)
        do throws(StripeTerminalError) {
            return try await terminal.read(cancel, { PaymentIntent(stripe: $0, account: intent.account) })
        } catch {
            // An intent that has received money is left unchanged and returned.
            guard error.certainty == .refused else { throw CardReaderFailure(error) }
            return try await retrieveIntent(intent.id, clientSecret: nil, account: intent.account)
        }
    }

    // MARK: Refunds

    /// Refunds to the card that is presented again, and waits for the end. Stripe's list of refunds is authoritative; a
    /// refund with a lost response is found there by its key. Once a call ended open, the same key stays open until the
    /// refund is listed, or ``StripeTerminalProvider/latestCommand`` has passed.
    /// - Throws: `readerBusy` while another till uses the reader; `invalidRefundParameters` without the intent.
    public func refund(_ parameters: RefundParameters) async throws(CardReaderFailure) -> CardReaderRefund {
        let reader = try reader()
        guard let wire = AmountCodec.stripe.wireAmount(ifExact: parameters.amount) else {
            throw CardReaderFailure(.invalidAmount)
        }
        guard let payment = parameters.intent else {
            throw CardReaderFailure(
                .invalidRefundParameters, message: "A refund at a reader needs the payment's intent.")
        }
        let mayStillCome = try mayStillCome(parameters.key)
        let refund = ReaderConversation.Refund(
            payment: payment, amount: parameters.amount, name: parameters.key.rawValue, key: parameters.key)
        let (terminal, conversation) = (terminal, conversation(at: reader, asks: true))
        let end = try await commands.run(.refund(payment)) { () async throws(CardReaderFailure) in
            if let made = await terminal.listed(refund) { return made }
            if let action = try? await terminal.reader(reader).action, let other = action.occupies(except: payment) {
                return .notMade(.occupied(other))
            }
            return await conversation.refund(refund, wire)
        }
        func made(_ status: CardReaderRefundStatus, _ id: ProviderReference?, _ why: String? = nil) -> CardReaderRefund
        {
            CardReaderRefund(
                id: id, charge: parameters.charge, amount: parameters.amount, status: status, failureReason: why)
        }
        switch end {
        case .listed: openRefunds[parameters.key] = nil
        case .notMade, .notDone:
            // Certain of this command only.
            if mayStillCome {
                throw CardReaderFailure(open: "an earlier command for this refund may still reach the reader")
            }
        case .open: openRefunds[parameters.key] = clock.now()
        }
        switch end {
        case .listed(let refund):
            switch refund.status {
            case .succeeded: return made(.succeeded, refund.reference)
            case .pending: return made(.pending, refund.reference)
            case .failed(let decline): return made(.failed, refund.reference, decline.code)
            }
        case .notMade(let cause):
            var failure = CardReaderFailure(cause)
            // Certain, whatever the word for the reason.
            if failure.underlyingError.leavesOutcomeOpen {
                failure.refund = made(.canceled, nil, cause.decline.code)
            }
            throw failure
        case .notDone(let error):
            var failure = CardReaderFailure(error)
            failure.refund = made(.canceled, nil, error.code)
            throw failure
        case .open(let reason): throw CardReaderFailure(open: reason.sentence)
        }
    }

    /// Returns `true` if an earlier command under a key may still reach the reader.
    private func mayStillCome(_ key: IdempotencyKey) throws(CardReaderFailure) -> Bool {
        let now = clock.now()
        openRefunds = openRefunds.filter { now.since($0.value) < StripeTerminalProvider.latestCommand }
        if openRefunds[key] != nil { return true }
        guard openRefunds.count < StripeTerminalDriver.maximumOpenRefunds else {
            throw CardReaderFailure(.readerBusy, message: "Too many refunds have no outcome.")
        }
        return false
    }

    /// Cancels a refund of this driver at the reader, which then ends. Refused once it is being made.
    public func cancelRefund() async throws(CardReaderFailure) { try await callOff { $0.isRefund } }

    // MARK: What they share

    private func reader() throws(CardReaderFailure) -> String {
        guard let connected else { throw CardReaderFailure(.notConnectedToReader) }
        return connected.id
    }

    private func call<Value>(
        _ body: () async throws -> Value
    ) async throws(CardReaderFailure) -> Value {
        do { return try await body() } catch {
            guard let error = error as? StripeTerminalError else { throw CardReaderFailure(.processorAPIError) }
            throw CardReaderFailure(error)
        }
    }

    /// Cancels the reader's action for a command that is under way, unless another till has replaced it.
    private func callOff(_ isMeant: (Command) -> Bool) async throws(CardReaderFailure) {
        let meant = commands.underWay.filter(isMeant)
        guard !meant.isEmpty else { return }
        let reader = try reader()
        let now = try await call { try await terminal.reader(reader) }
        if let action = now.action?.occupies(except: nil), !meant.contains(where: { $0.owns(action) }) { return }
        let key = key("calloff")
        _ = try await call { try await terminal.cancelAction(at: reader, key: key) }
    }

    /// - Parameter asks: `true` if the customer is asked for a card.
    private func conversation(at reader: String, asks: Bool = false) -> ReaderConversation {
        let clock = clock
        return ReaderConversation(
            terminal: terminal, reader: reader, pause: { await clock.pause(for: $0) },
            progress: { [weak self] progress in
                switch progress {
                case .asked: if asks { await self?.tell(.waitingForInput) }
                case .sending, .charging: break
                }
            })
    }

    private func tell(_ type: CardReaderEventType) async { await handler?(.reader(CardReaderEvent(type))) }

    /// Returns the key of a new command: repeating the same collection is a separate command.
    private func key(_ verb: String) -> IdempotencyKey {
        lastKey &+= 1
        return IdempotencyKey(rawValue: "\(verb)-\(lastKey)-\(UInt64.random(in: .min ... .max))")
    }
}

extension CardReader {
    /// Creates a reader from Stripe's representation.
    init(stripe reader: TerminalReader) {
        self.init(
            serial: reader.serialNumber, vendorIdentifier: reader.id, name: reader.label,
            softwareVersion: reader.softwareVersion, readerType: CardReaderType(rawValue: reader.deviceType.rawValue),
            locationID: reader.location,
            networkStatus: reader.status.map { CardReaderNetworkStatus(rawValue: $0.rawValue) })
    }
}

extension PaymentIntent {
    fileprivate init(_ now: StripeIntentNow, account: AccountID) throws(CardReaderFailure) {
        guard let intent = PaymentIntent(stripe: now.json, account: account) else {
            throw CardReaderFailure(.processorResponseUnreadable)
        }
        self = intent
    }

    fileprivate var withoutTip: Money { tip.flatMap { amount.subtracting(ifExact: $0) } ?? amount }
    fileprivate var chargeIDs: Set<String> { Set(charges.map(\.id.rawValue)) }
}
