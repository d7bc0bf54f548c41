import Hummingbird
import TillCheckout
import TillCore
import TillJournal
import TillStripe

/// Where providers report what happened. A provider's address may carry a query of the shop's own.
struct WebhookRoutes: Sendable {
    let journal: SQLiteJournal
    let checkout: Checkout
    let payments: PaymentRoutes
    let terminal: TerminalService?
    let options: ServerOptions
    let clock: any TillClock

    func register(on router: CounterRouter) {
        router.open([.post], "/webhooks/{provider}", query: .any) { request, parameters in
            switch try parameters.text("provider") {
            case "stripe": return try await stripe(request)
            case "adyen": return try await adyen(request)
            case "paypal": return try await payPal(request)
            case "braintree": return try await braintree(request)
            default: throw Problem.notFound
            }
        }
    }

    private func stripe(_ request: Request) async throws -> Response {
        guard !options.webhookSecrets.isEmpty else { throw Problem.notFound }
        let incoming = Incoming(
            request: request, account: .main, maximumBodyBytes: StripeWebhook.maximumBytes)
        let buffer = try await incoming.bytes()
        let now = clock.now()
        let event: StripeEvent
        do {
            event = try StripeWebhook.verify(
                payload: Array(buffer.readableBytesView),
                signatureHeader: request.headers[.stripeSignature],
                secrets: options.webhookSecrets, now: now)
        } catch {
            throw Problem(.badRequest, "webhook_refused", error.description, next: "Check the webhook's secret.")
        }
        let receipt = WebhookReceipt(provider: ProviderName(rawValue: "stripe"), id: event.id, at: now)
        do throws(JournalError) {
            try await journal.write(JournalWrite(webhook: receipt, wake: event.payment.map { ($0, now) }))
        } catch {
            guard case .webhookSeen = error else { throw error }
            return payments.json(Array("{\"received\":true}".utf8))
        }
        terminal?.heard(event)
        if let payment = event.payment {
            let checkout = checkout
            // The wake is in the journal: if this look fails, the engine's own follows.
            Task { try? await checkout.query(payment) }
        }
        return payments.json(Array("{\"received\":true}".utf8))
    }
}
