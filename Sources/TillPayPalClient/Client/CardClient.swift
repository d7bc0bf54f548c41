internal import Foundation
internal import HTTPTypes
public import TillCards
public import TillCore

/// Card payments with PayPal.
///
/// With ``CoreConfig`` it attaches a card to an order that the shop's server has made; the server takes the money.
/// With the server's configuration it also makes and executes orders. A value: any number of calls may run at once,
/// and canceling the task cancels the call.
public struct CardClient<Config: CardClientConfig>: Sendable {
    /// How it is configured.
    public let config: Config
    /// What each operation may take.
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

    /// Attaches a card to an order and asks the card's bank for a challenge if need be. Takes no money.
    ///
    /// If the bank wants a challenge, show the customer its address and give the address to which the customer
    /// comes back to ``finishChallenge(_:challenge:callback:)``.
    public func approveOrder(
        _ order: PayPalOrderID, card: PaymentCard, challenge: ChallengeReturn,
        verification: CardVerification = .whenRequired
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

    /// Checks a card against an order without a challenge, and attaches it. Takes no money.
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

    /// Reads the address to which the bank's page has sent the customer back. Only an address of this very challenge
    /// counts, and giving up is no success. What came of the challenge is read from PayPal by the server.
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

    /// Sends a call; everything but an answer is an error.
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
    /// A client for an app.
    /// - Parameters:
    ///   - transport: carries the calls.
    ///   - deadline: for one operation.
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

/// An app proves no more than which shop it belongs to.
struct ClientIDAuthorizer: PayPalAuthorizer {
    let clientID: String
    func authorization(within span: Span) async -> Result<Secret<String>, PayPalAuthorizationFailure> {
        .success(Secret("Basic " + Data("\(clientID):".utf8).base64EncodedString()))
    }
    func wasRefused(_ field: Secret<String>) async -> Bool { false }
}

/// What attaching a card has led to.
public enum CardApprovalStep: Hashable, Sendable {
    /// The server can take the money.
    case approved(CardApproval)
    /// The customer goes to the bank's page first.
    case challenge(PayerAction)
}

/// A card that is attached to an order. Nothing was taken.
public struct CardApproval: Hashable, Sendable {
    /// The order that the card was attached to.
    public let orderID: PayPalOrderID
    /// The customer was at the bank's page.
    public let attemptedChallenge: Bool
    /// Who bears a loss, where the answer shows it. After a challenge the server reads it.
    public let liability: AuthenticationResult?
}
