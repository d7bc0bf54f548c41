import TillCore
import TillCounter
import TillFeatureWebhooks

/// A webhook endpoint as commands show it, without its secret.
struct WebhookEndpointLine {
    private let endpoint: WebhookEndpoint
    private let pending: Int
    /// The message that was attempted last, of the newest ones.
    private let last: WebhookMessage?

    /// Reads the endpoint's messages.
    init(_ endpoint: WebhookEndpoint, in endpoints: WebhookEndpoints) async throws(WebhookError) {
        self.endpoint = endpoint
        pending = try await endpoints.pending(endpoint.id)
        let messages = try await endpoints.deliveries(
            endpoint.id, of: endpoint.account, limit: WebhookLimits.deliveriesPage)
        let attempted = messages.compactMap { message in message.attemptedAt.map { (at: $0, message: message) } }
        last = attempted.max { $0.at < $1.at }?.message
    }

    /// The lines for display: identifier, state and waiting messages; below them the address, the types, and the last
    /// outcome.
    var lines: [String] {
        let state =
            switch endpoint.state {
            case .enabled: "enabled"
            case .disabled(let reason, let then): "disabled (\(reason.rawValue)) \(then)"
            }
        let outcome = last.map { "last \($0.type) \(WebhookMessageLine.outcome(of: $0))" } ?? "nothing was sent yet"
        return [
            "\(endpoint.id)  \(pending) waiting  \(state)", "  \(endpoint.url)",
            "  \(endpoint.types.words.joined(separator: ","))", "  \(outcome)",
        ]
    }

    /// Returns the JSON object of `GET /v1/webhook_endpoints` with `last_delivery`.
    func json(at now: Timestamp) throws(JSONError) -> JSONValue {
        var writer = JSONWriter()
        WebhookJSON.write(endpoint, pending: pending, at: now, into: &writer)
        var delivery = JSONValue.null
        if let last {
            var writer = JSONWriter()
            WebhookJSON.write(last, into: &writer)
            delivery = try JSONValue(parsing: writer.bytes)
        }
        guard case .object(let members) = try JSONValue(parsing: writer.bytes) else { return .null }
        return .object(members + [JSONMember(key: "last_delivery", value: delivery)])
    }
}

/// A message to an endpoint as commands show it.
struct WebhookMessageLine {
    private let message: WebhookMessage

    init(_ message: WebhookMessage) { self.message = message }

    /// The lines for display: identifier and type; below them the payment, the outcome and the answer.
    var lines: [String] {
        var lines = ["\(message.id)  \(message.type)"]
        if let payment = message.payment { lines.append("  \(payment)") }
        lines.append("  \(WebhookMessageLine.outcome(of: message))")
        if !message.note.isEmpty { lines.append("  \(message.note)") }
        return lines
    }

    /// Returns the state of a message with its last answer.
    static func outcome(of message: WebhookMessage) -> String {
        let answer = message.status.map { "answer \($0)" } ?? "no answer"
        let tries = message.attempts == 1 ? "1 attempt" : "\(message.attempts) attempts"
        guard let last = message.attemptedAt else { return "waiting" }
        switch message.state {
        case .delivered: return "delivered \(last), \(answer), \(tries)"
        case .failed: return "failed \(last), \(answer), \(tries)"
        case .pending:
            return "waiting, \(answer) \(last), \(tries)" + (message.nextAt.map { ", next \($0)" } ?? "")
        }
    }
}
