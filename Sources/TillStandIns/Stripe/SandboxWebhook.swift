import Crypto
import Foundation
import HTTPTypes
public import TillCore

/// Where the sandbox tells what happened, signed as Stripe signs ("Check the webhook signatures").
public struct SandboxWebhook: Sendable {
    /// Where events are sent, such as `http://127.0.0.1:8080/webhooks/stripe`.
    public let url: String
    private let secret: Secret<String>
    private let transport: any HTTPTransport
    private let copies: Int
    private let delay: Span

    /// A receiver to which events are sent, signed.
    /// - Parameters:
    ///   - secret: `whsec_…`, shared with the receiver.
    ///   - copies: how often each event is delivered, 1 to 10.
    ///   - delay: how long after the answer.
    public init(
        url: String, secret: Secret<String>, transport: any HTTPTransport, copies: Int = 1,
        delay: Span = .milliseconds(0)
    ) {
        self.url = url
        self.secret = secret
        self.transport = transport
        self.copies = max(1, min(10, copies))
        self.delay = delay
    }

    /// Delivers an event; failures are the receiver's loss, as a webhook is a hint only.
    func deliver(_ event: StripeAnswer.Event, id: String, clock: any TillClock) async {
        if delay.milliseconds > 0 { await clock.pause(for: delay) }
        let seconds = clock.now().milliseconds / 1000
        let body = JSONValue.fields([
            "id": .string(id), "object": .string("event"), "type": .string(event.type), "created": .int(seconds),
            "livemode": .bool(false), "api_version": .string("2025-01-01"),
            "data": .fields(["object": event.object]),
        ]).bytes()
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(seconds).".utf8) + body, using: SymmetricKey(data: Array(secret.reveal().utf8)))
        let signature = Hex.lowercase(code)
        guard var request = HTTPRequest(posting: "application/json", to: url) else { return }
        if let name = HTTPField.Name("Stripe-Signature") { request.headerFields[name] = "t=\(seconds),v1=\(signature)" }
        for _ in 0..<copies {
            _ = try? await transport.send(request, body: body, deadline: .seconds(10))
        }
    }
}
