internal import HTTPTypes
public import TillCards
public import TillPayPalClient
public import TillCore

/// What a shop's server can do. None of it exists for a client with ``CoreConfig``.
extension CardClient where Config == ServerConfig {
    /// A client for a server.
    /// - Parameters:
    ///   - transport: carries the calls.
    ///   - recorder: writes each key down before its call leaves.
    ///   - deadline: for one operation.
    public init(
        _ config: ServerConfig, transport: any HTTPTransport, recorder: any SentRequestRecorder,
        clock: any TillClock = SystemClock(), deadline: Span = .seconds(30)
    ) {
        self.init(
            config: config, connection: config.connection(transport: transport, clock: clock), clock: clock,
            recorder: recorder, deadline: deadline)
    }

    /// Makes an order and executes it with a card, in one call.
    /// - Parameter key: the same for the same sale, so that asking again is never a second sale.
    /// - Throws: ``CardClientError``; a declined card is one, although PayPal calls such an order complete.
    public func executeOrder(
        _ request: OrderRequest, card: PaymentCard, key: IdempotencyKey
    ) async throws(CardClientError) -> ExecutedOrder {
        let (source, secrets) = CardSource.json(card)
        let body = try json(request, source)
        let call = PayPalCall.post(PayPalPath.orders, body, key: key, secrets: secrets)
        return try ExecutedOrder(try await order(call, retention: PayPalRetention.orders, moneyMoved: .unknown))
    }

    /// Executes an order that exists with a card: captures it or holds the money, as the order was made for. Beyond the
    /// time for which PayPal remembers the key, the order is read instead.
    public func executeOrder(
        orderID: PayPalOrderID, card: PaymentCard, intent: OrderIntent = .capture, key: IdempotencyKey
    ) async throws(CardClientError) -> ExecutedOrder {
        let (source, secrets) = CardSource.json(card)
        return try await execute(orderID, .members(["payment_source": source]), intent, key, secrets)
    }

    /// Executes an order to which the customer's card is attached already; see
    /// ``CardClient/approveOrder(_:card:challenge:verification:)``. The result of a challenge is read first.
    public func executeApprovedOrder(
        _ orderID: PayPalOrderID, intent: OrderIntent = .capture, policy: LiabilityPolicy = .standard,
        key: IdempotencyKey
    ) async throws(CardClientError) -> ExecutedOrder {
        let current = try await order(orderID)
        if case .approved = current.outcome {
            guard policy.verdict(on: current.card?.authentication) == .proceed else {
                let decline = Decline(reason: .generic, code: "LIABILITY_SHIFT", requestID: current.debugID)
                throw .declined(decline, orderID)
            }
        }
        return try await execute(orderID, .object([]), intent, key, [])
    }

    /// Makes an order without asking for money.
    public func createOrder(
        _ request: OrderRequest, key: IdempotencyKey
    ) async throws(CardClientError) -> OrderResponse {
        let call = PayPalCall.post(PayPalPath.orders, try json(request, nil), key: key)
        return try await order(call, retention: PayPalRetention.orders, moneyMoved: .no)
    }

    /// The order as it stands.
    public func order(_ id: PayPalOrderID) async throws(CardClientError) -> OrderResponse {
        let (json, debugID) = try await answer(to: .get(PayPalPath.order(id)), ifUnknown: .no)
        return try read(OrderResponse(json, debugID: debugID), moneyMoved: .no)
    }

    /// Takes held money by the hold's identifier; the card is not needed.
    public func capture(
        _ hold: PayPalAuthorizationID, amount: Money? = nil, isFinal: Bool = true, key: IdempotencyKey
    ) async throws(CardClientError) -> CompletedCapture {
        let body = JSONValue.members(["amount": try members(amount), "final_capture": .bool(isFinal)])
        let call = PayPalCall.post(PayPalPath.authorization(hold, "capture"), body, key: key)
        let json = try await recorded(call, retention: PayPalRetention.payments, moneyMoved: .unknown)
        let capture = try read(OrderCapture(json), moneyMoved: .unknown)
        guard let completed = CompletedCapture(capture) else {
            let isRefused = capture.isRefused
            throw .unexpected(
                "capture \(capture.id) is \(capture.status.rawValue)", moneyMoved: isRefused ? .no : .unknown)
        }
        return completed
    }

    /// Voids a hold: its money is free for the customer again.
    public func void(_ hold: PayPalAuthorizationID, key: IdempotencyKey) async throws(CardClientError) {
        let call = PayPalCall.post(PayPalPath.authorization(hold, "void"), nil, key: key)
        _ = try await recorded(call, retention: PayPalRetention.payments, moneyMoved: .no)
    }

    /// The hold as it stands.
    public func authorization(_ id: PayPalAuthorizationID) async throws(CardClientError) -> OrderAuthorization {
        let (json, _) = try await answer(to: .get(PayPalPath.authorization(id)), ifUnknown: .no)
        return try read(OrderAuthorization(json), moneyMoved: .no)
    }

    /// Gives captured money back; all that is left unless an amount is given.
    public func refund(
        _ capture: PayPalCaptureID, amount: Money? = nil, customID: String? = nil, key: IdempotencyKey
    ) async throws(CardClientError) -> OrderRefund {
        let body = JSONValue.members(["amount": try members(amount), "custom_id": customID.json])
        let call = PayPalCall.post(PayPalPath.capture(capture, "refund"), body, key: key)
        let json = try await recorded(call, retention: PayPalRetention.payments, moneyMoved: .unknown)
        return try read(OrderRefund(json), moneyMoved: .unknown)
    }

    // MARK: Vault

    /// Puts a card on its way into the vault. Takes no money.
    public func createSetupToken(
        card: PaymentCard, key: IdempotencyKey
    ) async throws(CardClientError) -> SetupTokenID {
        let (source, secrets) = CardSource.json(card)
        let call = PayPalCall.post(
            PayPalPath.setupTokens, .members(["payment_source": source]), key: key, secrets: secrets)
        let json = try await recorded(call, retention: PayPalRetention.vault, moneyMoved: .no)
        return try read(json["id"]?.stringValue.flatMap { SetupTokenID(ifValid: $0) }, moneyMoved: .no)
    }

    /// Stores a card for good.
    public func createPaymentToken(
        from setup: SetupTokenID, key: IdempotencyKey
    ) async throws(CardClientError) -> VaultID {
        let token = JSONValue.members(["id": .string(setup.rawValue), "type": .string("SETUP_TOKEN")])
        let call = PayPalCall.post(
            PayPalPath.paymentTokens, .members(["payment_source": .members(["token": token])]), key: key)
        let json = try await recorded(call, retention: PayPalRetention.vault, moneyMoved: .no)
        return try read(json["id"]?.stringValue.flatMap { VaultID(ifValid: $0) }, moneyMoved: .no)
    }

    /// Makes an order and executes it with a stored card. The shop asks, so no security code goes along.
    public func executeOrder(
        _ request: OrderRequest, stored card: VaultID, key: IdempotencyKey
    ) async throws(CardClientError) -> ExecutedOrder {
        let source = JSONValue.members(["card": .members(["vault_id": .string(card.rawValue)])])
        let call = PayPalCall.post(PayPalPath.orders, try json(request, source), key: key)
        return try ExecutedOrder(try await order(call, retention: PayPalRetention.orders, moneyMoved: .unknown))
    }

    /// Forgets a stored card.
    public func deletePaymentToken(_ card: VaultID) async throws(CardClientError) {
        let call = PayPalCall(.delete, "\(PayPalPath.paymentTokens)/\(card)")
        _ = try await answer(to: call, ifUnknown: .no)
    }

    // MARK: Parts

    private func execute(
        _ orderID: PayPalOrderID, _ body: JSONValue, _ intent: OrderIntent, _ key: IdempotencyKey,
        _ secrets: [Secret<String>]
    ) async throws(CardClientError) -> ExecutedOrder {
        let verb = intent == .authorize ? "authorize" : "capture"
        let call = PayPalCall.post(PayPalPath.order(orderID, verb), body, key: key, secrets: secrets)
        do throws(CardClientError) {
            return try ExecutedOrder(try await order(call, retention: PayPalRetention.orders, moneyMoved: .unknown))
        } catch {
            // Done before, or under a key that is forgotten: the order decides.
            switch error {
            case .keyForgotten: break
            case .refused(let refusal) where refusal.kind == .alreadyDone: break
            default: throw error
            }
            return try ExecutedOrder(try await order(orderID))
        }
    }

    private func order(
        _ call: PayPalCall, retention: Span, moneyMoved: MoneyMoved
    ) async throws(CardClientError) -> OrderResponse {
        let json = try await recorded(call, retention: retention, moneyMoved: moneyMoved)
        return try read(OrderResponse(json, debugID: nil), moneyMoved: moneyMoved)
    }

    /// Writes the key down, refuses one that PayPal has forgotten, and sends.
    private func recorded(
        _ call: PayPalCall, retention: Span, moneyMoved: MoneyMoved
    ) async throws(CardClientError) -> JSONValue {
        if let key = call.key {
            let now = clock.now()
            let first: Timestamp
            do {
                first = try await recorder.willSend(key, call: call.description, at: now)
            } catch {
                throw .notRecorded("\(error)")
            }
            guard now.adding(CheckSchedule.keyMargin).since(first) < retention else { throw .keyForgotten(key) }
        }
        return try await answer(to: call, ifUnknown: moneyMoved).0
    }

    private func json(_ request: OrderRequest, _ source: JSONValue?) throws(CardClientError) -> JSONValue {
        do throws(OrderRequestError) { return try request.json(source: source) } catch { throw .order(error) }
    }

    private func members(_ amount: Money?) throws(CardClientError) -> JSONValue? {
        guard let amount else { return nil }
        do throws(OrderRequestError) { return .object(try PayPalMoney.members(amount, at: "amount")) } catch {
            throw .order(error)
        }
    }

    private func read<Value>(_ value: Value?, moneyMoved: MoneyMoved) throws(CardClientError) -> Value {
        guard let value else { throw .unexpected("the answer cannot be read", moneyMoved: moneyMoved) }
        return value
    }
}
