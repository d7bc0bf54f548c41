import HTTPTypes
import Hummingbird
import TillCore
import TillSandbox

/// The page of the simulated bank behind a payment intent's `redirect_to_url`, on which the customer confirms or
/// refuses.
struct StripeChallengePage: Sendable {
    let ledger: SandboxLedger
    /// Called once the customer has answered, as Stripe's webhook follows.
    let onAnswer: @Sendable () async -> Void

    /// Responds to a request for the page of a payment intent.
    func answer(_ method: HTTPRequest.Method, _ id: String, _ body: [UInt8]) async -> Response {
        guard let charge = try? await ledger.charges().first(where: { $0.reference == id }),
            charge.state == .requiresAction
        else {
            return page(.notFound, "Nothing to confirm", "<p>This purchase is confirmed or refused already.</p>")
        }
        guard method == .post else {
            return page(
                .ok, "Confirm this purchase?",
                """
                <p>A shop wants to charge your card.</p>
                <form method="post"><button name="answer" value="confirm">Confirm</button>
                <button name="answer" value="refuse">Refuse</button></form>
                """)
        }
        let succeeds = body == Array("answer=confirm".utf8)
        guard succeeds || body == Array("answer=refuse".utf8) else {
            return page(.badRequest, "Not understood", "<p>Go back and choose again.</p>")
        }
        let outcome = try? await ledger.completeAction(ProviderReference(rawValue: id), succeeds: succeeds)
        if case .declined(code: "unexpected_state", _)? = outcome {
            return page(.conflict, "Nothing to confirm", "<p>This purchase is confirmed or refused already.</p>")
        }
        if outcome != nil { await onAnswer() }
        guard let back = charge.returnURL else { return page(.ok, succeeds ? "Confirmed" : "Refused", "") }
        // As Stripe does: the intent, its secret and the outcome are added to the shop's address.
        let more = "payment_intent=\(id)&payment_intent_client_secret=\(id)_secret_sandbox&redirect_status="
        let end = succeeds ? "succeeded" : "failed"
        var headers = HTTPFields()
        headers[.location] = back + (back.contains("?") ? "&" : "?") + more + end
        return Response(status: .seeOther, headers: headers)
    }

    private func page(_ status: HTTPResponse.Status, _ title: String, _ body: String) -> Response {
        let text = """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(title)</title></head>
            <body><main><h1>\(title)</h1>\(body)
            <p><small>The sandbox stands in for the card's bank. No real money moves.</small></p></main></body></html>
            """
        var headers = HTTPFields()
        headers[.contentType] = "text/html; charset=utf-8"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
