internal import Foundation
internal import HTTPTypes
internal import TillPayPalClient
internal import TillBraintreeClient
internal import TillCore

/// The outcome of one call to Braintree's gateway.
enum BraintreeOutcome: Sendable {
    /// A 2xx response with a document.
    case answered(XMLNode)
    /// A 422: the gateway's rejection document, with the transaction if one was created.
    case refused(XMLNode)
    /// Another status of the gateway.
    case failed(Int)
    /// A 401 or 403: the gateway rejected the API keys and has done nothing.
    case keyRejected(String)
    case notSent(String)
    /// No response, or an unreadable one.
    case unknown(String)
}

/// Sends calls and parses responses; independent of payments.
struct BraintreeGateway: Sendable {
    let config: BraintreeConfig
    let transport: any HTTPTransport

    private var authorization: String {
        "Basic " + Data("\(config.publicKey):\(config.privateKey.reveal())".utf8).base64EncodedString()
    }

    private func request(
        _ method: HTTPRequest.Method, _ environment: PayPalEnvironment, _ path: String, _ fields: [(String, String)]
    ) -> HTTPRequest {
        var request = HTTPRequest(
            method: method, scheme: environment.scheme, authority: environment.authority, path: path)
        for (name, value) in [("User-Agent", "Till/1 (payments in Swift)"), ("Authorization", authorization)] + fields {
            if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
        }
        return request
    }

    /// Calls the gateway below the merchant's path.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: XMLNode? = nil, within deadline: Span
    ) async -> BraintreeOutcome {
        // Braintree has no idempotency keys: anything that another process has sent meanwhile would be done twice.
        guard await SendingAuthority.isHeld else {
            return .notSent("this process was stalled, and another one may have taken over the payment")
        }
        let fields = [("Accept", "application/xml"), ("Content-Type", "application/xml"), ("X-ApiVersion", "6")]
        let request = request(method, config.gateway, "/merchants/\(config.merchantID)\(path)", fields)
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(request, body: body?.fragment() ?? [], deadline: deadline)
        } catch {
            switch error {
            case .notSent(let reason): return .notSent(reason)
            case .unknown(let reason): return .unknown(reason)
            }
        }
        let status = reply.response.status.code
        if status == 401 || status == 403 { return .keyRejected(BraintreeGateway.rejection("HTTP \(status)")) }
        guard (200..<300).contains(status) || status == 422 else { return .failed(status) }
        guard let node = XMLNode(parsing: reply.body) else {
            return .unknown("the answer cannot be read (HTTP \(status))")
        }
        return status == 422 ? .refused(node) : .answered(node)
    }

    /// Creates a nonce from a card. Moves no money, so a lost response is equivalent to none.
    func tokenize(_ card: CardDetails, within deadline: Span) async -> Result<CardNonce, TokenFailure> {
        let fields = [
            ("Accept", "application/json"), ("Content-Type", "application/json"),
            ("Braintree-Version", CardTokenization.version),
        ]
        let body = CardTokenization.body(card, options: TokenizationOptions()).bytes()
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(
                request(.post, config.graphQL, "/graphql", fields), body: body, deadline: deadline)
        } catch {
            switch error {
            case .notSent(let reason), .unknown(let reason): return .failure(.unavailable(reason))
            }
        }
        let status = reply.response.status.code
        if status == 401 || status == 403 {
            return .failure(.keyRejected(BraintreeGateway.rejection("HTTP \(status)")))
        }
        guard status == 200, let json = JSONValue(ifValid: reply.body) else {
            return .failure(.unavailable("no nonce (HTTP \(status))"))
        }
        switch CardTokenization.answer(json) {
        case .nonce(let nonce): return .success(nonce)
        case .refused(let reason, let code, let message):
            return .failure(.refused(Decline(reason: reason, code: code, message: message)))
        case .keyRejected(let message): return .failure(.keyRejected(BraintreeGateway.rejection(message)))
        case .failed(let message): return .failure(.unavailable("no nonce: \(message)"))
        case .unreadable: return .failure(.unavailable("the answer cannot be read"))
        }
    }

    /// Creates a client token, with which Braintree's card fields make nonces. Moves no money.
    /// - Returns: `nil` if Braintree gives none at the moment.
    func clientToken(merchantAccount: String, within deadline: Span) async -> Secret<String>? {
        let fields = [
            ("Accept", "application/json"), ("Content-Type", "application/json"),
            ("Braintree-Version", CardTokenization.version),
        ]
        let body = ClientTokenCall.body(merchantAccount: merchantAccount).bytes()
        guard
            let reply = try? await transport.send(
                request(.post, config.graphQL, "/graphql", fields), body: body, deadline: deadline),
            reply.response.status.code == 200, let json = JSONValue(ifValid: reply.body)
        else { return nil }
        return ClientTokenCall.token(json)
    }

    private static func rejection(_ detail: String) -> String { "Braintree rejected our keys (\(detail))" }

    enum TokenFailure: Error {
        case refused(Decline)
        case keyRejected(String)
        case unavailable(String)
    }
}
