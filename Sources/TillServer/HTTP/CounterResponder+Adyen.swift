import Hummingbird
import TillAdyen
import TillCheckout
import TillCore
import TillJournal

extension WebhookRoutes {
    /// Takes webhooks of Adyen's: checked, kept on the disk, and followed by a look at the payments they are about.
    func adyen(_ request: Request) async throws -> Response {
        guard let webhooks = options.adyenWebhooks, let book = options.adyenBook else { throw Problem.notFound }
        let incoming = Incoming(request: request, account: .main, maximumBodyBytes: AdyenWebhooks.maximumBytes)
        let buffer = try await incoming.bytes()
        let told: [AdyenNotification]
        do throws(AdyenWebhookError) {
            told = try webhooks.verify(body: Array(buffer.readableBytesView))
        } catch {
            throw Problem(
                .badRequest, "webhook_refused", error.description, next: "Check the webhook's HMAC key at Adyen.")
        }
        let now = clock.now()
        for (event, payment) in try await keep(told, in: book) {
            let receipt = WebhookReceipt(provider: ProviderName(rawValue: "adyen"), id: event.name, at: now)
            do throws(JournalError) {
                try await journal.write(JournalWrite(webhook: receipt, wake: (payment, now)))
            } catch {
                guard case .webhookSeen = error else { throw error }
            }
            let checkout = checkout
            // The wake is in the journal: if this look fails, the engine's own follows.
            Task { try? await checkout.query(payment) }
        }
        return Response(
            status: .ok, headers: [.contentType: "text/plain"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: AdyenWebhooks.accepted)))
    }

    /// Keeps what was told, and finds the payments that it is about.
    private func keep(
        _ told: [AdyenNotification], in book: AdyenNotificationLog
    ) async throws(Problem) -> [(AdyenNotification, PaymentID)] {
        do throws(AdyenNotificationLogError) {
            try await book.take(told)
            var about: [(AdyenNotification, PaymentID)] = []
            for event in told {
                if let payment = try await book.ownPayment(of: event) { about.append((event, payment)) }
            }
            return about
        } catch {
            throw Problem(.serviceUnavailable, "webhook_not_kept", error.description, next: "Send it again later.")
        }
    }
}
