public import TillCore
public import TillHardware

/// Stripe's smart readers, driven over REST, for `TillHardware.CardReaderService`.
///
/// A smart reader connects to Stripe, not to a counter: connecting to one verifies that it is available and selects it
/// for use. Collecting and charging are two commands, with the shop's durable write between them.
public actor StripeTerminalDriver: CardReaderDriver {
    /// The interval between two queries of a reader.
    public static let pollInterval = Span.milliseconds(400)

    /// The capabilities of these readers.
    public nonisolated let capabilities = CardReaderDriverCapabilities(
        createsIntents: .onServer, needsConnectionToken: false, amountLimits: .stripe, refunds: true,
        reportsRemoval: false)

    private let terminal: StripeTerminal
    private let clock: any TillClock
    private var handler: CardReaderDriverEventHandler?
    private var connected: TerminalReader?
    private var commands: UInt64 = 0

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
        connected = found
        var known = CardReader(stripe: found)
        known.status = .connected
        return known
    }

    /// Stops using the reader. Cancels nothing.
    public func disconnect() async throws(CardReaderFailure) { connected = nil }

    public func clear() async { connected = nil }

    /// Shows a cart on the reader's screen; without one, its default screen.
    /// - Throws: `invalidAmount` for an amount that Stripe cannot represent.
    public func display(_ cart: ReaderCart?) async throws(CardReaderFailure) {
        let reader = try reader()
        guard let cart else { return try await callOff() }
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
        let query = StripeRequest.get(StripePath.paymentIntent(id), [("expand[0]", "latest_charge")])
        return try await call { try await terminal.read(query, { PaymentIntent(stripe: $0, account: account) }) }
    }

    /// Collects a card at the reader and waits for the end; the service bounds the wait. Nothing is charged.
    /// - Throws: the reason that there is no card, with the current intent.
    public func collect(_ request: CardReaderCollectRequest) async throws(CardReaderFailure) -> PaymentIntent {
        let reader = try reader()
        guard let intent = request.intent else { throw CardReaderFailure(.noActivePaymentIntent) }
        var settings = TerminalCollection(customerCancels: request.parameters.allowsCustomerCancellation)
        switch request.parameters.tipping {
        case .none: settings.skipsTipping = true
        case .onWholeAmount: settings.skipsTipping = false
        case .onPart(let part): settings.tipEligible = AmountCodec.stripe.wireAmount(ifExact: part)
        }
        let (wanted, key) = (settings, key("collect-\(intent.id)"))
        _ = try await call { try await terminal.collect(for: intent.id, at: reader, wanted, key: key) }
        await tell(.waitingForInput)
        let action = try await end(of: .collectPaymentMethod, intent.id, at: reader)
        var now = try await retrieveIntent(intent.id, clientSecret: nil, account: request.account)
        guard action.status == .succeeded else { throw CardReaderFailure(action, intent: now) }
        await tell(.cardInserted)
        await tell(.cardDetailsCollected)
        now.collected = action.collected
        return now
    }

    /// Cancels at the reader. Refused once a card is being charged.
    public func cancelCollect() async throws(CardReaderFailure) { try await callOff() }

    /// Charges the collected card and waits for the intent's outcome; the reader's report is not sufficient.
    /// - Throws: a refusal with the current intent. An error without an intent means an unknown outcome; retry only the
    ///   same intent with the same key.
    public func confirm(
        _ intent: PaymentIntent, _ request: CardReaderConfirmRequest
    ) async throws(CardReaderFailure) -> PaymentIntent {
        let reader = try reader()
        do throws(StripeTerminalError) {
            _ = try await terminal.confirm(intent.id, at: reader, key: request.key)
        } catch {
            guard error.certainty == .refused, error.providerCode != "terminal_reader_timeout" else {
                throw CardReaderFailure(error)
            }
            let now = try? await retrieveIntent(intent.id, clientSecret: nil, account: request.account)
            if let now, now.status.moneyMoved == .yes { return now }
            throw CardReaderFailure(error, intent: now)
        }
        while true {
            let now = try await retrieveIntent(intent.id, clientSecret: nil, account: request.account)
            switch now.status {
            case .requiresCapture, .succeeded:
                if now.paymentMethod?.cardPresentDetails?.readMethod == .contactEMV { await tell(.removeCard) }
                return now
            case .canceled: throw CardReaderFailure(.confirmInvalidPaymentIntent, intent: now)
            default: break
            }
            let state = try await call { try await terminal.reader(reader) }
            if let action = state.action, action.paymentIntent == intent.id, action.kind == .confirmPaymentIntent,
                action.status == .failed
            {
                let last = try await retrieveIntent(intent.id, clientSecret: nil, account: request.account)
                if last.status.moneyMoved == .yes { return last }
                throw CardReaderFailure(action, intent: last)
            }
            try await pause()
        }
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
    /// refund with a lost response is found there by its key.
    public func refund(_ parameters: RefundParameters) async throws(CardReaderFailure) -> CardReaderRefund {
        let reader = try reader()
        guard let wire = AmountCodec.stripe.wireAmount(ifExact: parameters.amount) else {
            throw CardReaderFailure(.invalidAmount)
        }
        let refund = TerminalRefund(
            paymentIntent: parameters.intent, charge: parameters.intent == nil ? parameters.charge.rawValue : nil,
            amount: wire, metadata: [StripeTerminalDriver.refundName: parameters.key.rawValue], customerCancels: true)
        _ = try await call { try await terminal.refund(refund, at: reader, key: parameters.key) }
        await tell(.waitingForInput)
        let action: TerminalAction
        do throws(CardReaderFailure) {
            action = try await end(of: .refundPayment, parameters.intent, at: reader)
        } catch {
            // The slot is empty or holds another action: the list of refunds determines the outcome of ours.
            return try await refundAfter(error, parameters, at: reader)
        }
        guard action.status == .succeeded, let id = action.refund else {
            return try await refundAfter(CardReaderFailure(action, intent: nil), parameters, at: reader)
        }
        let query = StripeRequest.get("\(StripePath.refunds)/\(FormEncoding.quote(id))")
        let word = try await call { try await terminal.read(query, { $0["status"]?.stringValue }) }
        return CardReaderRefund(
            id: ProviderReference(rawValue: id), charge: parameters.charge, amount: parameters.amount,
            status: CardReaderRefundStatus(rawValue: word))
    }

    private static let refundName = "till_refund"

    /// Resolves a refund reported as failed by the reader. It has certainly ended only once the action was canceled and
    /// the refund is not listed.
    private func refundAfter(
        _ failure: CardReaderFailure, _ parameters: RefundParameters, at reader: String
    ) async throws(CardReaderFailure) -> CardReaderRefund {
        if let made = try await refundMade(parameters) { return made }
        do throws(CardReaderFailure) { try await callOff() } catch {
            throw CardReaderFailure(.requestTimedOut, message: "The reader cannot be canceled; a refund may follow.")
        }
        if let made = try await refundMade(parameters) { return made }
        throw failure
    }

    private func refundMade(_ parameters: RefundParameters) async throws(CardReaderFailure) -> CardReaderRefund? {
        let whose =
            parameters.intent.map { ("payment_intent", $0.rawValue) } ?? ("charge", parameters.charge.rawValue)
        let query = StripeRequest.get(StripePath.refunds, [whose, ("limit", "100")])
        let all = try await call { try await terminal.read(query, { $0["data"]?.arrayValue }) }
        let name = parameters.key.rawValue
        guard
            let found = all.first(where: {
                $0["metadata"]?[StripeTerminalDriver.refundName]?.stringValue == name
            }), let id = TerminalText.identifier(found["id"])
        else { return nil }
        return CardReaderRefund(
            id: ProviderReference(rawValue: id), charge: parameters.charge, amount: parameters.amount,
            status: CardReaderRefundStatus(rawValue: found["status"]?.stringValue ?? "pending"))
    }

    /// Cancels at the reader. Refused once the refund is being made.
    public func cancelRefund() async throws(CardReaderFailure) { try await callOff() }

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

    /// Waits for the end of a command; the service bounds the wait. Another action in the slot is also an end.
    private func end(
        of kind: TerminalAction.Kind, _ intent: ProviderReference?, at reader: String
    ) async throws(CardReaderFailure) -> TerminalAction {
        while true {
            let state = try await call { try await terminal.reader(reader) }
            guard let action = state.action, action.kind == kind, intent == nil || action.paymentIntent == intent else {
                throw CardReaderFailure(.commandCanceled)
            }
            if action.status != .inProgress { return action }
            try await pause()
        }
    }

    private func pause() async throws(CardReaderFailure) {
        do { try await clock.sleep(for: StripeTerminalDriver.pollInterval) } catch {
            throw CardReaderFailure(.commandCanceled)
        }
    }

    private func callOff() async throws(CardReaderFailure) {
        let (reader, key) = (try reader(), key("calloff"))
        _ = try await call { try await terminal.cancelAction(at: reader, key: key) }
    }

    private func tell(_ type: CardReaderEventType) async { await handler?(.reader(CardReaderEvent(type))) }

    /// Returns the key of a new command: repeating the same collection is a separate command.
    private func key(_ verb: String) -> IdempotencyKey {
        commands &+= 1
        return IdempotencyKey(rawValue: "\(verb)-\(commands)-\(UInt64.random(in: .min ... .max))")
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
