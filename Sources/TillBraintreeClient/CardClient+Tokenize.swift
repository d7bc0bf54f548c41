internal import HTTPTypes
public import TillCards
public import TillPayPalClient
public import TillCore

/// Options for tokenizing a card.
public struct TokenizationOptions: Hashable, Sendable {
    /// `true` to have Braintree verify the card when the nonce is created.
    public var validates: Bool
    /// Creates options; by default the gateway does not ask the issuer.
    public init(validates: Bool = false) { self.validates = validates }
}

/// A card as a nonce: valid for one transaction of the shop's server, for three hours. As sensitive as the card, so
/// masked.
public struct CardNonce: Sendable {
    /// The nonce. Only code that sends it to the shop's server reveals it.
    public let nonce: Secret<String>
    /// The last four digits.
    public let lastFour: String
    /// The network, as Braintree spells it.
    public let brand: String

    /// Creates a nonce from the gateway's response, valid for one use.
    package init(nonce: Secret<String>, lastFour: String, brand: String) {
        self.nonce = nonce
        self.lastFour = lastFour
        self.brand = brand
    }
}

/// The API call that creates a nonce.
package enum CardTokenization {
    /// The API version that this client is written for. Braintree rejects calls without one.
    package static let version = "2019-01-01"
    package static let query =
        "mutation TokenizeCreditCard($input: TokenizeCreditCardInput!) { tokenizeCreditCard(input: $input) "
        + "{ paymentMethod { id details { ... on CreditCardDetails { brandCode last4 } } } } }"

    package static func body(_ card: CardDetails, options: TokenizationOptions) -> JSONValue {
        let expiry = card.expiry.reveal()
        let address = card.billingAddress?.reveal()
        let fields = JSONValue.members([
            "number": .string(card.number.reveal()),
            "expirationMonth": .string("\(expiry.month < 10 ? "0" : "")\(expiry.month)"),
            "expirationYear": .string(String(expiry.year)), "cvv": (card.securityCode?.reveal()).json,
            "cardholderName": (card.holder?.reveal()).json,
            "billingAddress": address.map {
                .members([
                    "streetAddress": $0.line1.json, "extendedAddress": $0.line2.json, "locality": $0.city.json,
                    "region": $0.region.json, "postalCode": $0.postalCode.json,
                    "countryCodeAlpha2": .string($0.country),
                ])
            },
        ])
        let input = JSONValue.members([
            "creditCard": fields,
            "options": options.validates ? .members(["validate": .bool(true)]) : nil,
        ])
        return .members([
            "query": .string(query), "operationName": .string("TokenizeCreditCard"),
            "variables": .members(["input": input]),
        ])
    }

    package static func secrets(_ card: CardDetails) -> [Secret<String>] {
        [card.number] + [card.securityCode, card.holder].compactMap { $0 }
    }

    /// The result of a tokenization response. GraphQL responds with 200 to everything it understands, errors included.
    package enum Answer {
        case nonce(CardNonce)
        /// The card or another input was rejected.
        case refused(DeclineReason, code: String, message: String)
        /// The credential of the call was rejected.
        case keyRejected(String)
        /// Braintree could not process the call; no statement about the card.
        case failed(String)
        case unreadable
    }

    package static func answer(_ json: JSONValue) -> Answer {
        let method = json.at("data", "tokenizeCreditCard", "paymentMethod")
        if let id = method?["id"]?.stringValue, (1...512).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        {
            let last = method?.at("details", "last4")?.stringValue ?? ""
            return .nonce(
                CardNonce(
                    nonce: Secret(id), lastFour: String(last.filter { $0.isASCII && $0.isNumber }.suffix(4)),
                    brand: PayPalWireText.word(method?.at("details", "brandCode")) ?? "unknown"))
        }
        guard let error = json["errors"]?.arrayValue?.first else { return .unreadable }
        let kind = error.at("extensions", "errorClass")?.stringValue ?? "UNKNOWN"
        let code = PayPalWireText.line(error.at("extensions", "legacyCode")?.stringValue ?? kind, limit: 64)
        let message = PayPalWireText.line(error["message"]?.stringValue ?? "", limit: 300)
        switch kind {
        case "VALIDATION": return .refused(reason(code), code: code, message: message)
        case "NOT_FOUND", "UNSUPPORTED_CLIENT": return .refused(.invalidRequest, code: code, message: message)
        case "AUTHENTICATION", "AUTHORIZATION": return .keyRejected("\(code): \(message)")
        default: return .failed("\(code): \(message)")
        }
    }

    /// Maps Braintree's codes of card fields to decline reasons. Source: Braintree's validation errors of credit cards.
    private static func reason(_ code: String) -> DeclineReason {
        switch code {
        case "81714", "81715", "81716", "81717": .incorrectNumber
        case "81703": .cardNotSupported
        case "81709", "81710", "81711", "81712", "81713": .expiredCard
        case "81706", "81707", "81736": .incorrectCVC
        default: .invalidRequest
        }
    }
}

extension CardClient where Config == TokenizationConfig {
    /// Creates a client for an app that creates nonces.
    public init(
        _ config: TokenizationConfig, transport: any HTTPTransport, clock: any TillClock = SystemClock(),
        deadline: Span = .seconds(30)
    ) {
        self.init(
            config: config,
            connection: PayPalConnection(
                environment: config.environment, transport: transport,
                authorizer: TokenizationAuthorizer(key: config.key), clock: clock),
            clock: clock, recorder: NoSentRequests(), deadline: deadline)
    }

    /// Creates a nonce from a card. Takes no money.
    public func tokenizeCard(_ card: PaymentCard) async throws(CardClientError) -> CardNonce {
        try await tokenizeCard(card, options: TokenizationOptions())
    }

    /// Creates a nonce from a card, with options. Takes no money.
    public func tokenizeCard(
        _ card: PaymentCard, options: TokenizationOptions
    ) async throws(CardClientError) -> CardNonce {
        let details = card.details
        let call = PayPalCall(
            .post, "/graphql", body: CardTokenization.body(details, options: options).bytes(),
            contentType: "application/json", fields: [("Braintree-Version", CardTokenization.version)],
            secrets: CardTokenization.secrets(details))
        let (json, _) = try await answer(to: call, ifUnknown: .no)
        switch CardTokenization.answer(json) {
        case .nonce(let nonce): return nonce
        case .refused(_, let code, let message):
            throw .unexpected("Braintree refuses the card (\(code)): \(message)", moneyMoved: .no)
        case .keyRejected(let message):
            throw .unexpected("Braintree rejects the app's tokenization key (\(message))", moneyMoved: .no)
        case .failed(let message): throw .unexpected("Braintree makes no nonce (\(message))", moneyMoved: .no)
        case .unreadable: throw .unexpected("the answer cannot be read", moneyMoved: .no)
        }
    }

    /// Creates a nonce as ``tokenizeCard(_:options:)`` does, with a completion handler.
    @discardableResult
    public func tokenizeCard(
        _ card: PaymentCard, options: TokenizationOptions = TokenizationOptions(),
        completion: @escaping @Sendable (Result<CardNonce, CardClientError>) -> Void
    ) -> Task<Void, Never> {
        CardClient.deliver(completion) { () async throws(CardClientError) in
            try await tokenizeCard(card, options: options)
        }
    }
}

/// An authorizer with a tokenization key as the credential.
struct TokenizationAuthorizer: PayPalAuthorizer {
    let key: Secret<String>
    func authorization(within span: Span) async -> Result<Secret<String>, PayPalAuthorizationFailure> {
        .success(Secret("Bearer " + key.reveal()))
    }
    func wasRefused(_ field: Secret<String>) async -> Bool { false }
}
