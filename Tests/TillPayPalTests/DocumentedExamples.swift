// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillHTTP
import TillPayPal
import TillPayPalClient

/// Of `PayPalProvider.swift`.
private func example1(_ secret: Secret<String>) async throws {
    let config = try ServerConfig(clientID: "AY3xExample", secret: secret, environment: .sandbox)
    let paypal = PayPalProvider(config: config, transport: HTTPClientTransport(), clock: SystemClock())
    let identity = await paypal.identity()
    print(identity.account ?? "unknown account", paypal.mode.rawValue)
    _ = config
    _ = paypal
    _ = identity
}

/// Of `PayPalWebhooks.swift`.
private func example2(_ body: [UInt8], _ head: PayPalWebhooks.Head, _ transport: any HTTPTransport) async throws {
    let webhooks = PayPalWebhooks(webhookID: "8PT597110X687430L", transport: transport, clock: SystemClock())
    let event = try await webhooks.verify(body: body, head: head)
    print("\(event.id) is to be stored before the payment is read.")
    _ = webhooks
    _ = event
}
