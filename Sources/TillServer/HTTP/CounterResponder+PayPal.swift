import HTTPTypes
import Hummingbird
import TillCheckout
import TillCore
import TillJournal
import TillPayPal

extension WebhookRoutes {
    /// Takes a webhook of PayPal's: checked over its bytes, counted once, and followed by a look at PayPal.
    func payPal(_ request: Request) async throws -> Response {
        guard let webhooks = options.payPalWebhooks else { throw Problem.notFound }
        let incoming = Incoming(request: request, account: .main, maximumBodyBytes: PayPalWebhooks.maximumBytes)
        let buffer = try await incoming.bytes()
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
        let head = PayPalWebhooks.Head(
            id: field("PayPal-Transmission-Id"), time: field("PayPal-Transmission-Time"),
            signature: field("PayPal-Transmission-Sig"), certificate: field("PayPal-Cert-Url"),
            algorithm: field("PayPal-Auth-Algo"))
        let event: PayPalWebhookEvent
        do throws(PayPalWebhookError) {
            event = try await webhooks.verify(body: Array(buffer.readableBytesView), head: head)
        } catch {
            throw Problem(
                error.isTemporary ? .serviceUnavailable : .badRequest, "webhook_refused", error.description,
                next: error.isTemporary ? "Send it again later." : "Check the webhook's id at PayPal.")
        }
        let now = clock.now()
        let receipt = WebhookReceipt(provider: ProviderName(rawValue: "paypal"), id: event.id, at: now)
        let done = payments.json(Array("{\"received\":true}".utf8))
        do throws(JournalError) {
            try await journal.write(JournalWrite(webhook: receipt, wake: event.payment.map { ($0, now) }))
        } catch {
            guard case .webhookSeen = error else { throw error }
            return done
        }
        if let payment = event.payment {
            let checkout = checkout
            // The wake is in the journal: if this look fails, the engine's own follows.
            Task { try? await checkout.query(payment) }
        }
        return done
    }
}
