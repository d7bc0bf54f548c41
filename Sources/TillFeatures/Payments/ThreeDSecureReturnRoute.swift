import HTTPTypes
import Hummingbird
import NIOCore
package import TillCheckout
package import TillCore
import TillCounter
package import TillJournal
package import TillWeb

/// The return URL of 3-D Secure challenges.
package struct ThreeDSecureReturnRoute: Sendable {
    package let journal: any CounterStore
    package let checkout: Checkout
    package let options: ServerOptions
    package let clock: any TillClock

    package init(journal: any CounterStore, checkout: Checkout, options: ServerOptions, clock: any TillClock) {
        (self.journal, self.checkout, self.options, self.clock) = (journal, checkout, options, clock)
    }

    /// Accepts any query: banks and providers add parameters; the counter's own is verified with the URL.
    package func register(on router: CounterRouter) {
        router.open(
            [.get, .head], ThreeDSecureReturnURL.path + "{attempt}/{way}", for: .customer, query: .any
        ) { request, _ in try await cameBack(request) }
    }

    /// Handles a customer's return from the bank's page. A return proves no outcome: the provider is queried
    /// immediately, and if that fails, the engine queries it later, also after a crash.
    private func cameBack(_ request: Request) async throws -> Response {
        guard let attempt = options.returnURL?.attempt(path: request.uri.path, query: request.uri.query),
            let payment = ThreeDSecureReturnRoute.payment(of: attempt), try await journal.payment(payment) != nil
        else { throw Problem.notFound }
        let now = clock.now()
        let receipt = WebhookReceipt(provider: ProviderName(rawValue: "challenge"), id: attempt.rawValue, at: now)
        do throws(JournalError) {
            try await journal.write(JournalWrite(webhook: receipt, wake: (payment, now)))
            do throws(CheckoutError) { try await checkout.query(payment) } catch {
                // The engine retries: the payment was woken in the same commit as the receipt.
            }
        } catch {
            guard case .webhookSeen = error else { throw error }
            // Reloading the page queries the provider no more often than any other view.
            try? await checkout.queryWhileWatched(payment)
        }
        return ThreeDSecureReturnRoute.backPage(try await journal.payment(payment), at: now)
    }

    /// Returns the payment encoded in the attempt's ID.
    private static func payment(of attempt: AttemptID) -> PaymentID? {
        guard let end = attempt.rawValue.lastIndex(of: "-") else { return nil }
        return PaymentID(ifValid: String(attempt.rawValue[..<end]))
    }

    private static func backPage(_ payment: Payment?, at now: Timestamp) -> Response {
        let isBeingVoided = payment?.cancelReason != nil || payment?.currentAttempt?.void?.state.isOpen == true
        let (title, text, isOpen): (String, String, Bool) =
            switch payment?.status {
            case .requiresCapture where isBeingVoided:
                ("One moment", "The shop canceled the payment. This page refreshes by itself.", true)
            case .succeeded, .requiresCapture, .partiallyCaptured:
                ("Thank you", "Your payment is confirmed. You can close this page.", false)
            case .requiresAction, .processing, .unknown, .stored, nil:
                ("One moment", "The shop is asking for the result. This page refreshes by itself.", true)
            case .declined, .requiresPaymentMethod, .canceled, .expired, .captureFailed:
                ("Not paid", "Nothing was charged. Go back to the shop to pay another way.", false)
            case .refunded, .partiallyRefunded:
                ("Paid back", "The shop has refunded you. You can close this page.", false)
            }
        let page = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
            <meta name="viewport" content="width=device-width, \
            initial-scale=1">\(isOpen ? refresh(payment, at: now) : "")
            <link rel="icon" href="data:,"><link rel="stylesheet" href="/counter.css"></head>
            <body><main><section class="card"><h1>\(title)</h1><p \
            role="status">\(text)</p></section></main></body></html>
            """
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors 'none'",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }

    /// Returns the refresh tag. The interval grows once a result within seconds is no longer expected.
    private static func refresh(_ payment: Payment?, at now: Timestamp) -> String {
        let isYoung = payment.map { now.since($0.updatedAt) < Checkout.watchedLifetime } ?? false
        return "<meta http-equiv=\"refresh\" content=\"\(isYoung ? 3 : 30)\">"
    }
}
