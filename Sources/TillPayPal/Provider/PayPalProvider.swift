public import TillCards
import TillPayPalClient
public import TillCore
internal import TillProvider

/// Typed cards through PayPal's Orders v2 and Payments v2.
///
/// An order is made first and its identifier is in the journal before the card is sent. A sale that captures at once
/// makes an order of intent `CAPTURE`; one that only holds, `AUTHORIZE`. What an answer means is read from the
/// captures and authorizations in it, never from the order's status or from HTTP, because a declined card leaves an
/// order that is `COMPLETED`. A value: any number of calls may run at once.
public struct PayPalProvider: PaymentServiceProvider {
    /// What each operation may take, all of its calls together.
    public let deadline: Span
    /// When the customer's bank is asked to challenge, and which results are gone on with.
    public let threeDSecure: ThreeDSecure
    let connection: PayPalConnection
    private let account: ProviderIdentity
    let clock: any TillClock
    let returnURL: (@Sendable (AttemptID) -> ChallengeReturn)?
    /// What webhooks have told of disputes, for an app that may not read them.
    var toldDisputes = SignedDisputes(MemoryNotifications())

    /// A provider for one PayPal account.
    /// - Parameters:
    ///   - config: who the shop is at PayPal.
    ///   - transport: carries the calls.
    ///   - clock: the time.
    ///   - deadline: for one operation.
    ///   - threeDSecure: when the customer's bank is asked to challenge, and which results are gone on with.
    ///   - returnURL: where the bank's page sends the customer of an attempt back to; without it the
    ///     customer is sent nowhere.
    public init(
        config: ServerConfig, transport: any HTTPTransport, clock: any TillClock, deadline: Span = .seconds(25),
        threeDSecure: ThreeDSecure = .whenOffered, returnURL: (@Sendable (AttemptID) -> ChallengeReturn)? = nil
    ) {
        self.returnURL = returnURL
        connection = config.connection(transport: transport, clock: clock)
        let fingerprint: String? =
            switch config.credential {
            case .secret(let secret): KeyFingerprint.of(secret, at: ProviderName(rawValue: "paypal"))
            case .accessToken: nil
            }
        account = ProviderIdentity(
            account: config.clientID, mode: .at(config.environment.authority, testWord: ".sandbox."),
            keyFingerprint: fingerprint)
        self.clock = clock
        self.deadline = deadline
        self.threeDSecure = threeDSecure
    }

    /// The name in settings, requests and the journal: `paypal`.
    public var name: ProviderName { ProviderName(rawValue: "paypal") }

    /// Keys of orders are remembered for `PayPalRetention.orders`, those of payments longer; the shorter counts.
    public var capabilities: ProviderCapabilities {
        ProviderCapabilities(
            replayWindow: PayPalRetention.orders, preparesFirst: true, partialCapture: true, multipleCapture: true,
            separateCapture: true, takesCards: true,
            honorPeriod: AuthorizationLife.honorPeriod)
    }

    /// Amounts are written as `AmountCodec.payPal` says.
    public var amounts: AmountCodec { .payPal }

    /// Whether real money moves: what the address says.
    public var mode: PaymentMode { account.mode }

    /// The client at PayPal: its secret may be replaced.
    public func identity() async -> ProviderIdentity { account }

    /// Makes the order. Moves no money.
    public func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        let body: JSONValue
        do throws(OrderRequestError) {
            let id = request.context.attempt.rawValue
            let unit = PurchaseUnit(
                amount: try Amount(request.amount), referenceID: "default",
                description: request.description.flatMap { $0.isEmpty ? nil : String($0.prefix(127)) },
                customID: id, invoiceID: id)
            let order = try OrderRequest(
                intent: request.captureMode == .automatic ? .capture : .authorize, purchaseUnits: [unit])
            body = try order.json(source: nil)
        } catch {
            return .declined(Decline(reason: .invalidAmount, message: error.what))
        }
        switch await connection.send(.post(PayPalPath.orders, body, key: request.prepareKey), within: deadline) {
        case .answered(_, let json, let debugID):
            guard let order = OrderResponse(json, debugID: debugID) else { return .unknown(reason: unreadable) }
            guard order.total == request.amount else { return .unknown(reason: amountMismatch) }
            return .approved(Confirmation(reference: PayPalReference(order: order.orderID).providerReference))
        case .failed(let error): return answer(to: error)
        case .notSent(let reason): return .notSent(reason: reason)
        case .unknown(let reason): return .unknown(reason: reason)
        }
    }
}

extension PayPalProvider {
    var unreadable: String { "the answer cannot be read" }
    var amountMismatch: String { "amount mismatch" }

    /// An error answer as the answer of an operation.
    func answer<Success>(to error: PayPalError) -> ProviderAnswer<Success> {
        if error.status == 429 { return .notSent(reason: "the provider is busy (\(error))") }
        if error.rejectsKey { return .keyRejected(reason: "\(error)") }
        if error.saysNotDone { return .declined(error.decline) }
        return .unknown(reason: "\(error)")
    }

    /// The answer to a refusal after which the order does not show what was asked for.
    func undone<Success>(_ error: PayPalError) -> ProviderAnswer<Success> {
        // PayPal says that it is done and does not show it yet.
        error.kind == .alreadyDone ? .unknown(.pending) : .declined(error.decline)
    }

    /// The order as it stands now.
    func order(_ id: PayPalOrderID, until end: Timestamp) async -> OrderReading {
        switch await connection.send(.get(PayPalPath.wholeOrder(id)), within: end.since(clock.now())) {
        case .answered(_, let json, let debugID):
            guard let order = OrderResponse(json, debugID: debugID), order.orderID == id else {
                return .unknown(unreadable)
            }
            return .order(order)
        case .failed(let error) where error.status == 404: return .missing
        case .failed(let error) where error.rejectsKey: return .keyRejected("\(error)")
        case .failed(let error): return .unknown("\(error)")
        case .notSent(let reason), .unknown(let reason): return .unknown(reason)
        }
    }
}

/// What came of reading an order.
enum OrderReading: Sendable {
    case order(OrderResponse)
    case missing
    /// PayPal rejects our own credentials.
    case keyRejected(String)
    case unknown(String)
}
