import Crypto
import Foundation
import HTTPTypes
public import TillCore
import TillStandInServing

/// A webhook endpoint of the sandbox, with events signed as Stripe signs them ("Check the webhook signatures").
public struct SandboxWebhook: Sendable {
    /// The delivery address, such as `http://127.0.0.1:8080/webhooks/stripe`.
    public let url: String
    private let secret: Secret<String>
    private let transport: any HTTPTransport
    private let copies: Int
    private let delay: Span

    /// Creates an endpoint to which signed events are delivered.
    /// - Parameters:
    ///   - secret: `whsec_…`, shared with the receiver.
    ///   - copies: the number of deliveries of each event, 1 to 10.
    ///   - delay: the delay after the response.
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

    /// Delivers an event. A failed delivery is not retried, as a webhook is only a hint.
    func deliver(_ event: StripeEvent, clock: any TillClock) async {
        if delay.milliseconds > 0 { await clock.pause(for: delay) }
        let seconds = clock.now().milliseconds / 1000
        let body = event.json.bytes()
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
