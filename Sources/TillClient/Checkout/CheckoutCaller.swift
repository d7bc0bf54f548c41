import HTTPTypes
import TillCore

/// The checkout's calls to the counter.
struct CheckoutCaller: Sendable {
    let address: CounterAddress
    let session: CounterCheckoutSession
    let limits: CounterCheckoutLimits
    let transport: any HTTPTransport

    /// The counter's answer to a request to pay.
    struct PayAnswer: Sendable {
        var payment: CounterCheckoutPayment
        /// `true` if this is the outcome of the request, and not of another one that decides the payment.
        var isBegun: Bool
    }

    func pay(_ tender: CheckoutTender, key: IdempotencyKey) async throws(CounterCheckoutError) -> PayAnswer {
        let json = try await document(
            .post, "/app/pay", .members(["tender": tender.json]), key: key, within: limits.payment)
        return PayAnswer(
            payment: try CounterCheckoutPayment(json, of: session), isBegun: json["begun"]?.boolValue ?? false)
    }

    func payment() async throws(CounterCheckoutError) -> CounterCheckoutPayment {
        try CounterCheckoutPayment(
            try await document(.get, "/app/payment", nil, within: limits.exchange), of: session)
    }

    func cardFields() async throws(CounterCheckoutError) -> CheckoutCardFields {
        try CheckoutCardFields(
            try await document(.get, "/app/card_fields", nil, within: limits.exchange), of: session)
    }

    /// Hands in what Adyen's SDK reported at the end of a session.
    func finish(_ result: SessionResult) async throws(CounterCheckoutError) -> CounterCheckoutPayment {
        try CounterCheckoutPayment(
            try await document(
                .post, "/app/session_result", .members(["session_result": .string(result.reveal())]),
                within: limits.exchange), of: session)
    }

    func cancel() async throws(CounterCheckoutError) -> CounterCheckoutPayment {
        try CounterCheckoutPayment(
            try await document(.post, "/app/cancel", .object([]), within: limits.exchange), of: session)
    }

    func receipt() async throws(CounterCheckoutError) -> [UInt8] {
        let reply = try await send(.get, "/app/receipt", nil, within: limits.exchange)
        let type = reply.response.headerFields[.contentType] ?? ""
        guard reply.response.status.code == 200, type.hasPrefix("text/html") else { throw refusal(in: reply) }
        return reply.body
    }

    // MARK: Exchange

    private func document(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?, key: IdempotencyKey? = nil,
        within span: Span
    ) async throws(CounterCheckoutError) -> JSONValue {
        let reply = try await send(method, path, body, key: key, within: span)
        guard reply.response.status.code == 200 else { throw refusal(in: reply) }
        guard let json = json(reply) else { throw .unreadable(reason: "it is no document") }
        return json
    }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?, key: IdempotencyKey? = nil,
        within span: Span
    ) async throws(CounterCheckoutError) -> HTTPReply {
        var request = HTTPRequest(
            method: method, scheme: address.scheme, authority: address.authority, path: address.basePath + path)
        request.headerFields[CounterField.session] = session.text.reveal()
        request.headerFields[.accept] = path == "/app/receipt" ? "text/html" : "application/json"
        if body != nil { request.headerFields[.contentType] = "application/json" }
        if let key { request.headerFields[CounterField.idempotencyKey] = key.rawValue }
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(request, body: body?.bytes() ?? [], deadline: span)
        } catch {
            switch error {
            case .notSent(let reason): throw .notSent(reason: reason)
            case .unknown(let reason): throw .notAnswered(reason: reason)
            }
        }
        guard reply.body.count <= limits.answerBytes else {
            throw .unreadable(reason: "it is longer than \(limits.answerBytes) bytes")
        }
        return reply
    }

    private func json(_ reply: HTTPReply) -> JSONValue? {
        try? JSONValue(parsing: reply.body, limits: JSONLimits(maximumBytes: limits.answerBytes))
    }

    /// Returns the counter's own problem. Whatever else comes with another status settles nothing.
    private func refusal(in reply: HTTPReply) -> CounterCheckoutError {
        let status = reply.response.status.code
        let requestID = reply.response.headerFields[CounterField.requestID].map { String($0.prefix(128)) }
        guard let json = json(reply), let problem = CounterProblem(json, status: status, requestID: requestID) else {
            return .notAnswered(reason: "its answer has the status \(status)")
        }
        return .refused(problem)
    }
}
