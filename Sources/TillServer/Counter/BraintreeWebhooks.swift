import TillBraintree
import TillCore

/// Checks Braintree's webhooks, and asks Braintree what they are about.
public struct BraintreeWebhooks: Sendable {
    private let config: BraintreeConfig
    private let provider: BraintreeProvider

    init(config: BraintreeConfig, transport: any HTTPTransport, clock: any TillClock) {
        self.config = config
        provider = BraintreeProvider(config: config, transport: transport, clock: clock)
    }

    /// Checks a webhook over what came.
    /// - Throws: `BraintreeWebhookError`.
    func verify(
        payload: String, signature: String, now: Timestamp
    ) throws(BraintreeWebhookError) -> BraintreeWebhook.Event {
        try BraintreeWebhook.verify(
            payload: payload, signature: signature, publicKey: config.publicKey, privateKey: config.privateKey, now: now
        )
    }

    /// Whose payment it is about, by Braintree's own word.
    func payment(of event: BraintreeWebhook.Event) async -> BraintreeProvider.PaymentLookup {
        guard let transaction = event.transaction else { return .none }
        return await provider.payment(ofTransaction: transaction)
    }
}
