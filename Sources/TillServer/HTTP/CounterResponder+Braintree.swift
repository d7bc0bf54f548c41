import Foundation
import Hummingbird
import TillBraintree
import TillCheckout
import TillCore
import TillJournal

extension WebhookRoutes {
    /// Takes a webhook of Braintree's: checked over its payload, its transaction read from Braintree, counted once, and
    /// followed by a look.
    func braintree(_ request: Request) async throws -> Response {
        guard let webhooks = options.braintreeWebhooks else { throw Problem.notFound }
        // The payload is Base64 in a form: each of its bytes may come as three.
        let limit = 4 * BraintreeWebhook.maximumBytes
        let incoming = Incoming(request: request, account: .main, maximumBodyBytes: limit)
        let form = WebhookRoutes.form(try await incoming.bytes().readableBytesView)
        let now = clock.now()
        let event: BraintreeWebhook.Event
        do throws(BraintreeWebhookError) {
            event = try webhooks.verify(
                payload: form["bt_payload"] ?? "", signature: form["bt_signature"] ?? "", now: now)
        } catch {
            throw Problem(.badRequest, "webhook_refused", error.description, next: "Check Braintree's keys.")
        }
        var payment: PaymentID?
        switch await webhooks.payment(of: event) {
        case .payment(let id): payment = id
        case .none: break
        case .unknown:
            throw Problem(
                .serviceUnavailable, "webhook_refused", "Braintree cannot be asked what the webhook is about.",
                next: "Send it again later.")
        }
        let receipt = WebhookReceipt(provider: ProviderName(rawValue: "braintree"), id: event.id, at: now)
        let done = payments.json(Array("{\"received\":true}".utf8))
        do throws(JournalError) {
            try await journal.write(JournalWrite(webhook: receipt, wake: payment.map { ($0, now) }))
        } catch {
            guard case .webhookSeen = error else { throw error }
            return done
        }
        if let payment {
            let checkout = checkout
            // The wake is in the journal: if this look fails, the engine's own follows.
            Task { try? await checkout.query(payment) }
        }
        return done
    }

    /// The fields of a form; of two with one name the first.
    private static func form(_ bytes: some Sequence<UInt8>) -> [String: String] {
        func plain(_ text: Substring) -> String? {
            String(text).replacing("+", with: " ").removingPercentEncoding
        }
        var fields: [String: String] = [:]
        for pair in String(decoding: Array(bytes), as: UTF8.self).split(separator: "&").prefix(16) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = plain(parts[0]), let value = plain(parts[1]), fields[name] == nil else {
                continue
            }
            fields[name] = value
        }
        return fields
    }
}
