// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillHTTP
import TillStripe

/// Of `StripeProvider.swift`.
private func example1(_ key: Secret<String>, _ webhookSecret: Secret<String>) async throws {
    let transport = HTTPClientTransport()
    let stripe = try StripeProvider(
        secretKey: key, transport: transport, clock: SystemClock(), webhookSecrets: [webhookSecret])
    let identity = await stripe.identity()
    print(identity.account ?? "unknown account", stripe.mode.rawValue)
    _ = transport
    _ = stripe
    _ = identity
}

/// Of `StripeWebhook.swift`.
private func example2(_ body: [UInt8], _ header: String?, _ webhookSecret: Secret<String>) async throws {
    let event = try StripeWebhook.verify(
        payload: body, signatureHeader: header, secrets: [webhookSecret], now: SystemClock().now())
    if let intent = event.paymentIntent { print("\(event.type): \(intent) is to be queried.") }
    _ = event
}

/// Of `StripeTerminal.swift`.
private func example3(_ stripe: StripeProvider) async throws {
    let terminal = StripeTerminal(stripe)
    let key = IdempotencyKey(rawValue: "register-counter-1")
    let reader = try await terminal.register(
        code: "quick-brown-fox", label: "Counter 1", location: "tml_shop", key: key)
    for known in try await terminal.readers() { print(known.id, known.label) }
    _ = terminal
    _ = key
    _ = reader
}
