public import TillCards
import TillPayPalClient
public import TillCore
internal import TillProvider

/// Typed cards, cards of PayPal's own fields, and PayPal accounts through PayPal's Orders v2 and Payments v2 APIs.
///
/// ```swift
/// import TillHTTP
/// import TillPayPalClient
///
/// let config = try ServerConfig(clientID: "AY3xExample", secret: secret, environment: .sandbox)
/// let paypal = PayPalProvider(config: config, transport: HTTPClientTransport(), clock: SystemClock())
/// let identity = await paypal.identity()
/// print(identity.account ?? "unknown account", paypal.mode.rawValue)
/// ```
///
/// An order is created first, and its id is in the journal before the card is sent. An immediate sale uses the intent
/// `CAPTURE`, a hold `AUTHORIZE`. The result is derived from the captures and authorizations in the answer, never from
/// the order's status or the HTTP status, because a declined card leaves an order `COMPLETED`. A value type: any number
/// of calls may run concurrently.
public struct PayPalProvider: PaymentServiceProvider {
    /// Timeout of each operation, over all of its calls.
    public let deadline: Span
    /// The policy for requesting 3-D Secure challenges and accepting their results.
    public let threeDSecure: ThreeDSecure
    let connection: PayPalConnection
    private let account: ProviderIdentity
    let clock: any TillClock
    let returnURL: (@Sendable (AttemptID) -> ChallengeReturn)?
    /// The disputes reported by webhooks, for an app without permission to read them.
    var toldDisputes = SignedDisputes(MemoryNotifications())

    /// Creates a provider for one PayPal account.
    /// - Parameters:
    ///   - config: the shop's identity at PayPal.
    ///   - transport: the transport of the calls.
    ///   - clock: the clock.
    ///   - deadline: the timeout of one operation.
    ///   - threeDSecure: the policy for requesting 3-D Secure challenges and accepting their results.
    ///   - returnURL: the return URL of an attempt, to which the issuer's page redirects the customer; without it no
    ///     customer is redirected.
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

    /// The key retention is `PayPalRetention.orders`; payment keys are kept longer, but the shorter period counts.
    public var capabilities: ProviderCapabilities {
        ProviderCapabilities(
            replayWindow: PayPalRetention.orders, preparesFirst: true, partialCapture: true, multipleCapture: true,
            separateCapture: true, takesCards: true, takesPayPal: returnURL != nil,
            takesPayPalCards: true, honorPeriod: AuthorizationLife.honorPeriod)
    }

    /// The amount format, `AmountCodec.payPal`.
    public var amounts: AmountCodec { .payPal }

    /// The mode, according to the address.
    public var mode: PaymentMode { account.mode }

    /// Returns the PayPal client; its secret may be replaced.
    public func identity() async -> ProviderIdentity { account }

    /// Creates the order. Moves no money.
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
            body = try order.json(source: request.attachesCard ? attachedSource(request.context.attempt) : nil)
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

    /// Returns an error answer as the result of an operation.
    func answer<Success>(to error: PayPalError) -> ProviderAnswer<Success> {
        if error.status == 429 { return .notSent(reason: "the provider is busy (\(error))") }
        if error.rejectsKey { return .keyRejected(reason: "\(error)") }
        if error.saysNotDone { return .declined(error.decline) }
        return .unknown(reason: "\(error)")
    }

    /// Returns the result of a refusal after which the order does not show the requested change.
    func undone<Success>(_ error: PayPalError) -> ProviderAnswer<Success> {
        // Done according to PayPal, but not yet visible.
        error.kind == .alreadyDone ? .unknown(.pending) : .declined(error.decline)
    }

    /// Reads the current order.
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

/// The result of reading an order.
enum OrderReading: Sendable {
    case order(OrderResponse)
    case missing
    /// PayPal rejects Till's own credentials.
    case keyRejected(String)
    case unknown(String)
}
