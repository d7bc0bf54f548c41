internal import HTTPTypes
public import TillCards
public import TillPayPalClient
public import TillCore

/// The operations of a shop's server. None of them exists for a client with ``CoreConfig``.
extension CardClient where Config == ServerConfig {
    /// Creates a client for a server.
    /// - Parameters:
    ///   - transport: the transport of the calls.
    ///   - recorder: records each key before its call is sent.
    ///   - deadline: the timeout of one operation.
    public init(
        _ config: ServerConfig, transport: any HTTPTransport, recorder: any SentRequestRecorder,
        clock: any TillClock = SystemClock(), deadline: Span = .seconds(30)
    ) {
        self.init(
            config: config, connection: config.connection(transport: transport, clock: clock), clock: clock,
            recorder: recorder, deadline: deadline)
    }

    /// Creates an order and executes it with a card, in one call.
    /// - Parameter key: the same key for the same sale, so that a retry is never a second sale.
    /// - Throws: ``CardClientError``, also for a declined card, although PayPal reports such an order as completed.
    public func executeOrder(
        _ request: OrderRequest, card: PaymentCard, key: IdempotencyKey
    ) async throws(CardClientError) -> ExecutedOrder {
        let (source, secrets) = CardSource.json(card)
        let body = try json(request, source)
        let call = PayPalCall.post(PayPalPath.orders, body, key: key, secrets: secrets)
        return try ExecutedOrder(try await order(call, retention: PayPalRetention.orders, moneyMoved: .unknown))
    }

    /// Executes an existing order with a card: captures the money or holds it, according to the order's intent. Once
    /// PayPal no longer remembers the key, the order is read instead.
    public func executeOrder(
        orderID: PayPalOrderID, card: PaymentCard, intent: OrderIntent = .capture, key: IdempotencyKey
    ) async throws(CardClientError) -> ExecutedOrder {
        let (source, secrets) = CardSource.json(card)
        return try await execute(orderID, .members(["payment_source": source]), intent, key, secrets)
    }

    /// Executes an order with a card that is already attached; see
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

    /// Creates an order without requesting payment.
    public func createOrder(
        _ request: OrderRequest, key: IdempotencyKey
    ) async throws(CardClientError) -> OrderResponse {
        let call = PayPalCall.post(PayPalPath.orders, try json(request, nil), key: key)
        return try await order(call, retention: PayPalRetention.orders, moneyMoved: .no)
    }

    /// Returns the current order.
    public func order(_ id: PayPalOrderID) async throws(CardClientError) -> OrderResponse {
        let (json, debugID) = try await answer(to: .get(PayPalPath.order(id)), ifUnknown: .no)
        return try read(OrderResponse(json, debugID: debugID), moneyMoved: .no)
    }

    /// Captures held money by authorization id; the card is not needed.
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

    /// Voids a hold and releases its money.
    public func void(_ hold: PayPalAuthorizationID, key: IdempotencyKey) async throws(CardClientError) {
        let call = PayPalCall.post(PayPalPath.authorization(hold, "void"), nil, key: key)
        _ = try await recorded(call, retention: PayPalRetention.payments, moneyMoved: .no)
    }

    /// Returns the current hold.
    public func authorization(_ id: PayPalAuthorizationID) async throws(CardClientError) -> OrderAuthorization {
        let (json, _) = try await answer(to: .get(PayPalPath.authorization(id)), ifUnknown: .no)
        return try read(OrderAuthorization(json), moneyMoved: .no)
    }

    /// Refunds a capture (the full remaining amount by default).
    public func refund(
        _ capture: PayPalCaptureID, amount: Money? = nil, customID: String? = nil, key: IdempotencyKey
    ) async throws(CardClientError) -> OrderRefund {
        let body = JSONValue.members(["amount": try members(amount), "custom_id": customID.json])
        let call = PayPalCall.post(PayPalPath.capture(capture, "refund"), body, key: key)
        let json = try await recorded(call, retention: PayPalRetention.payments, moneyMoved: .unknown)
        return try read(OrderRefund(json), moneyMoved: .unknown)
    }

    // MARK: Vault

    /// Creates a setup token for vaulting a card. Moves no money.
    public func createSetupToken(
        card: PaymentCard, key: IdempotencyKey
    ) async throws(CardClientError) -> SetupTokenID {
        let (source, secrets) = CardSource.json(card)
        let call = PayPalCall.post(
            PayPalPath.setupTokens, .members(["payment_source": source]), key: key, secrets: secrets)
        let json = try await recorded(call, retention: PayPalRetention.vault, moneyMoved: .no)
        return try read(json["id"]?.stringValue.flatMap { SetupTokenID(ifValid: $0) }, moneyMoved: .no)
    }

    /// Vaults a card permanently.
    public func createPaymentToken(
        from setup: SetupTokenID, key: IdempotencyKey
    ) async throws(CardClientError) -> VaultID {
        let token = JSONValue.members(["id": .string(setup.rawValue), "type": .string("SETUP_TOKEN")])
        let call = PayPalCall.post(
            PayPalPath.paymentTokens, .members(["payment_source": .members(["token": token])]), key: key)
        let json = try await recorded(call, retention: PayPalRetention.vault, moneyMoved: .no)
        return try read(json["id"]?.stringValue.flatMap { VaultID(ifValid: $0) }, moneyMoved: .no)
    }

    /// Creates an order and executes it with a vaulted card. The transaction is initiated by the merchant, so no
    /// security code is sent.
    public func executeOrder(
        _ request: OrderRequest, stored card: VaultID, key: IdempotencyKey
    ) async throws(CardClientError) -> ExecutedOrder {
        let source = JSONValue.members(["card": .members(["vault_id": .string(card.rawValue)])])
        let call = PayPalCall.post(PayPalPath.orders, try json(request, source), key: key)
        return try ExecutedOrder(try await order(call, retention: PayPalRetention.orders, moneyMoved: .unknown))
    }

    /// Deletes a vaulted card.
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
            // Already executed, or sent with a key no longer remembered: the order decides.
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

    /// Records the key, rejects one that PayPal no longer remembers, and sends the call.
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
