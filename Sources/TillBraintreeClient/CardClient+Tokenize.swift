internal import HTTPTypes
public import TillCards
public import TillPayPalClient
public import TillCore

/// What tokenizing asks for beyond the card.
public struct TokenizationOptions: Hashable, Sendable {
    /// Have Braintree check the card when the nonce is made.
    public var validates: Bool
    /// Options of a tokenization; by default the gateway does not ask the issuer.
    public init(validates: Bool = false) { self.validates = validates }
}

/// A card as a nonce: valid for one transaction of the shop's server, for three hours. As good as the card, so masked.
public struct CardNonce: Sendable {
    /// The nonce. Only code that sends it to the shop's server reveals it.
    public let nonce: Secret<String>
    /// The last four digits.
    public let lastFour: String
    /// The network, as Braintree spells it.
    public let brand: String

    /// A nonce as the gateway gave it, valid for one use.
    package init(nonce: Secret<String>, lastFour: String, brand: String) {
        self.nonce = nonce
        self.lastFour = lastFour
        self.brand = brand
    }
}

/// The call that makes a nonce.
package enum CardTokenization {
    /// The version of the interface whose shapes are read here. Braintree refuses calls that name none.
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

    /// What an answer says. GraphQL answers 200 to everything it understands, errors too.
    package enum Answer {
        case nonce(CardNonce)
        /// The card or what else was sent is refused.
        case refused(DeclineReason, code: String, message: String)
        /// The credential of the call is refused.
        case keyRejected(String)
        /// Braintree could not do it; no word about the card.
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

    /// Our word for Braintree's codes of a card's fields. Source: Braintree's validation errors of credit cards.
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
    /// A client for an app that makes nonces.
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

    /// Makes a nonce of a card. Takes no money.
    public func tokenizeCard(_ card: PaymentCard) async throws(CardClientError) -> CardNonce {
        try await tokenizeCard(card, options: TokenizationOptions())
    }

    /// Makes a nonce of a card, with options. Takes no money.
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

    /// As ``tokenizeCard(_:options:)``, with a completion handler.
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

/// A tokenization key as the credential.
struct TokenizationAuthorizer: PayPalAuthorizer {
    let key: Secret<String>
    func authorization(within span: Span) async -> Result<Secret<String>, PayPalAuthorizationFailure> {
        .success(Secret("Bearer " + key.reveal()))
    }
    func wasRefused(_ field: Secret<String>) async -> Bool { false }
}
