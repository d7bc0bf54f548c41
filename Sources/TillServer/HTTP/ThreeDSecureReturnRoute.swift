import HTTPTypes
import Hummingbird
import NIOCore
import TillCheckout
import TillCore
import TillJournal

/// Where the bank's page sends a customer back to.
struct ThreeDSecureReturnRoute: Sendable {
    let journal: any CounterStore
    let checkout: Checkout
    let options: ServerOptions
    let clock: any TillClock

    /// Banks and providers add parameters of their own; the counter's is checked with the address.
    func register(on router: CounterRouter) {
        router.open(
            [.get, .head], ThreeDSecureReturnURL.path + "{attempt}/{way}", for: .customer, query: .any
        ) { request, _ in try await cameBack(request) }
    }

    /// A customer comes back from the bank's page. That says nothing about how it ended: the provider is asked at once,
    /// and if that cannot be done now, the engine does it, also after a crash.
    private func cameBack(_ request: Request) async throws -> Response {
        guard let attempt = options.returnURL?.attempt(path: request.uri.path, query: request.uri.query),
            let payment = ThreeDSecureReturnRoute.payment(of: attempt), try await journal.payment(payment) != nil
        else { throw Problem.notFound }
        let now = clock.now()
        let receipt = WebhookReceipt(provider: ProviderName(rawValue: "challenge"), id: attempt.rawValue, at: now)
        do throws(JournalError) {
            try await journal.write(JournalWrite(webhook: receipt, wake: (payment, now)))
            do throws(CheckoutError) { try await checkout.query(payment) } catch {
                // The engine asks by itself: the payment was woken in the same commit as the receipt.
            }
        } catch {
            guard case .webhookSeen = error else { throw error }
            // Whoever loads the page again and again asks the provider no more often than others who watch.
            try? await checkout.queryWhileWatched(payment)
        }
        return ThreeDSecureReturnRoute.backPage(try await journal.payment(payment), at: now)
    }

    /// An attempt is named after its payment.
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

    /// A page that is left open asks less often once nobody can expect an answer within seconds any more.
    private static func refresh(_ payment: Payment?, at now: Timestamp) -> String {
        let isYoung = payment.map { now.since($0.updatedAt) < Checkout.watchedLifetime } ?? false
        return "<meta http-equiv=\"refresh\" content=\"\(isYoung ? 3 : 30)\">"
    }
}
