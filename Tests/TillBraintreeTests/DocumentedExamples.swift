// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillBraintree
import TillCore
import TillHTTP

/// Of `BraintreeProvider.swift`.
private func example1(_ privateKey: Secret<String>) async throws {
    let config = try BraintreeConfig(
        merchantID: "shop", publicKey: "shop_public", privateKey: privateKey, merchantAccounts: [.eur: "shop_eur"])
    let braintree = BraintreeProvider(config: config, transport: HTTPClientTransport(), clock: SystemClock())
    let identity = await braintree.identity()
    print(identity.account ?? "unknown account", braintree.mode.rawValue)
    _ = config
    _ = braintree
    _ = identity
}

/// Of `BraintreeWebhook.swift`.
private func example2(_ config: BraintreeConfig, _ payload: String, _ signature: String) async throws {
    let event = try BraintreeWebhook.verify(
        payload: payload, signature: signature, publicKey: config.publicKey, privateKey: config.privateKey,
        now: SystemClock().now())
    if let transaction = event.transaction { print("\(event.kind): \(transaction) is to be queried.") }
    _ = event
}
