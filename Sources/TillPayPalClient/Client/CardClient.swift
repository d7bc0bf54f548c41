internal import Foundation
internal import HTTPTypes
public import TillCards
public import TillCore

/// A client for card payments with PayPal.
///
/// ```swift
/// import TillCards
///
/// let config = try CoreConfig(clientID: "AY3xExample", environment: .sandbox)
/// let client = CardClient(config, transport: transport)
/// switch try await client.approveOrder(order, card: card, challenge: challenge) {
/// case .approved(let approval): print("\(approval.orderID) can be captured by the server.")
/// case .challenge(let action): print("To be opened by the customer: \(action.url)")
/// }
/// ```
///
/// With ``CoreConfig`` it attaches a card to an order created by the shop's server; the server captures the money. With
/// the server's configuration it also creates and executes orders. A value type: any number of calls may run
/// concurrently, and canceling the task cancels the call.
public struct CardClient<Config: CardClientConfig>: Sendable {
    /// The configuration.
    public let config: Config
    /// Timeout of each operation.
    public let deadline: Span
    package let connection: PayPalConnection
    package let clock: any TillClock
    package let recorder: any SentRequestRecorder

    package init(
        config: Config, connection: PayPalConnection, clock: any TillClock, recorder: any SentRequestRecorder,
        deadline: Span
    ) {
        self.config = config
        self.connection = connection
        self.clock = clock
        self.recorder = recorder
        self.deadline = deadline
    }

    /// Attaches a card to an order and requests a 3-D Secure challenge if needed. Captures no money.
    ///
    /// If the issuer requires a challenge, present its URL to the customer and pass the resulting return URL to
    /// ``finishChallenge(_:challenge:callback:)``.
    public func approveOrder(
        _ order: PayPalOrderID, card: PaymentCard, challenge: ChallengeReturn,
        verification: ChallengeCondition = .whenRequired
    ) async throws(CardClientError) -> CardApprovalStep {
        let (source, secrets) = CardSource.json(card, challenge: challenge, verification: verification)
        let response = try await confirm(order, source, secrets)
        switch response.status {
        case .payerActionRequired:
            guard let action = PayerAction(response) else { throw .payerActionWithoutAddress(order) }
            return .challenge(action)
        case .approved, .completed:
            return .approved(
                CardApproval(orderID: order, attemptedChallenge: false, liability: response.card?.authentication))
        default: throw .unexpected("the order is \(response.status)", moneyMoved: .no)
        }
    }

    /// Validates a card against an order without a challenge, and attaches it. Captures no money.
    public func validate(orderID: PayPalOrderID, card: PaymentCard) async throws(CardClientError) -> CardApproval {
        let (source, secrets) = CardSource.json(card)
        let response = try await confirm(orderID, source, secrets)
        switch response.status {
        case .approved, .completed:
            return CardApproval(orderID: orderID, attemptedChallenge: false, liability: response.card?.authentication)
        case .payerActionRequired:
            guard let action = PayerAction(response) else { throw .payerActionWithoutAddress(orderID) }
            throw .payerActionRequired(orderID, action)
        default: throw .unexpected("the order is \(response.status)", moneyMoved: .no)
        }
    }

    /// Reads the return URL to which the issuer's page redirected the customer. Only a URL of this challenge is
    /// accepted, and canceling is not success. The server reads the result of the challenge from PayPal.
    ///
    /// ```swift
    /// import TillCards
    ///
    /// let approval = try client.finishChallenge(order, challenge: challenge, callback: address)
    /// // From here on the server's part:
    /// let verdict = LiabilityPolicy.standard.verdict(afterChallenge: approval.liability)
    /// if verdict == .refuse { print("\(approval.orderID) is not captured.") }
    /// ```
    public func finishChallenge(
        _ order: PayPalOrderID, challenge: ChallengeReturn, callback: String
    ) throws(CardClientError) -> CardApproval {
        let meaning: ChallengeReturn.Callback
        do throws(ChallengeReturn.Fault) { meaning = try challenge.read(callback) } catch {
            throw .foreignCallback(order)
        }
        switch meaning {
        case .finished: return CardApproval(orderID: order, attemptedChallenge: true, liability: nil)
        case .canceled: throw .challengeCanceled(order)
        }
    }

    private func confirm(
        _ order: PayPalOrderID, _ source: JSONValue, _ secrets: [Secret<String>]
    ) async throws(CardClientError) -> OrderResponse {
        let call = PayPalCall(
            .post, "/v2/checkout/orders/\(order)/confirm-payment-source",
            body: JSONValue.members(["payment_source": source]).bytes(), contentType: "application/json",
            wantsRepresentation: true, secrets: secrets)
        let (json, debugID) = try await answer(to: call, ifUnknown: .no)
        guard let response = OrderResponse(json, debugID: debugID), response.orderID == order else {
            throw .unexpected("the answer cannot be read", moneyMoved: .no)
        }
        return response
    }

    /// Sends a call and returns its answer; any other outcome is thrown.
    package func answer(
        to call: PayPalCall, ifUnknown moneyMoved: MoneyMoved
    ) async throws(CardClientError) -> (JSONValue, String?) {
        switch await connection.send(call, within: deadline) {
        case .answered(_, let json, let debugID): return (json, debugID)
        case .failed(let error): throw .refused(error)
        case .notSent(let reason): throw .notSent(reason)
        case .unknown(let reason): throw .unexpected(reason, moneyMoved: moneyMoved)
        }
    }
}

extension CardClient where Config == CoreConfig {
    /// Creates a client for an app.
    /// - Parameters:
    ///   - transport: the transport of the calls.
    ///   - deadline: the timeout of one operation.
    public init(
        _ config: CoreConfig, transport: any HTTPTransport, clock: any TillClock = SystemClock(),
        deadline: Span = .seconds(30)
    ) {
        let connection = PayPalConnection(
            environment: config.environment, transport: transport,
            authorizer: ClientIDAuthorizer(clientID: config.clientID), clock: clock)
        self.init(
            config: config, connection: connection, clock: clock, recorder: NoSentRequests(), deadline: deadline)
    }
}

/// Authorizes an app's calls by client id only, which identifies the shop and proves nothing else.
struct ClientIDAuthorizer: PayPalAuthorizer {
    let clientID: String
    func authorization(within span: Span) async -> Result<Secret<String>, PayPalAuthorizationFailure> {
        .success(Secret("Basic " + Data("\(clientID):".utf8).base64EncodedString()))
    }
    func wasRefused(_ field: Secret<String>) async -> Bool { false }
}

/// The next step after attaching a card.
public enum CardApprovalStep: Hashable, Sendable {
    /// Approved: the server can capture the money.
    case approved(CardApproval)
    /// The customer must complete the issuer's challenge first.
    case challenge(PayerAction)
}

/// A card attached to an order. No money was captured.
public struct CardApproval: Hashable, Sendable {
    /// The order with the attached card.
    public let orderID: PayPalOrderID
    /// `true` if the customer was sent to the issuer's page.
    public let attemptedChallenge: Bool
    /// The liability shift, if the answer contains it. After a challenge the server reads it.
    public let liability: AuthenticationResult?
}
