internal import HTTPTypes
internal import TillCore
internal import TillHTTP

/// What came of one call, before anybody knows what it means for the payment.
enum StripeOutcome: Sendable {
    /// A 2xx with a document.
    case answered(JSONValue)
    case failed(StripeError)
    case notSent(String)
    /// There is no answer, or none that can be read.
    case unknown(String)
}

/// Sends calls and reads answers; knows nothing of payments.
struct StripeClient: Sendable {
    /// What is examined of a text for secrets and numbers, in bytes; no more of it is kept anywhere.
    static let examinedBytes = 4_096

    let secretKey: Secret<String>
    let scheme: String
    let authority: String
    let transport: any HTTPTransport

    /// - Parameter secrets: what this call carries that must not come back in any text.
    func send(_ call: StripeRequest, within deadline: Span, secrets: [Secret<String>] = []) async -> StripeOutcome {
        let (request, body) = call.wire(scheme: scheme, authority: authority, secretKey: secretKey)
        let scrub = scrubber(secrets)
        let reply: HTTPReply
        do {
            reply = try await transport.send(request, body: body, deadline: deadline)
        } catch {
            switch error {
            case .notSent(let reason): return .notSent(scrub(reason))
            case .unknown(let reason): return .unknown(scrub(reason))
            }
        }
        let status = reply.response.status.code
        let requestID = header("Request-Id", of: reply).map { StripeError.line(scrub($0), limit: 64) }
        let document = JSONValue(ifValid: reply.body)
        switch status {
        case 200..<300:
            guard let document, document.objectValue != nil else {
                return .unknown("the answer cannot be read (HTTP \(status)\(requestID.map { ", \($0)" } ?? ""))")
            }
            return .answered(document)
        case 400, 402, 404, 409, 429:
            // Only Stripe answers in this form. Anything else may come from a gate in between, which cannot know
            // what became of the request.
            guard document?["error"]?.objectValue != nil || status == 429 else {
                return .unknown("the answer cannot be read (HTTP \(status))")
            }
            fallthrough
        default:
            return .failed(
                StripeError(
                    status: status, body: document, requestID: requestID,
                    shouldRetry: header("Stripe-Should-Retry", of: reply).map { StripeError.line(scrub($0), limit: 8) },
                    isReplay: header("Idempotent-Replayed", of: reply) == "true",
                    scrub: scrub))
        }
    }

    private func header(_ name: String, of reply: HTTPReply) -> String? {
        HTTPField.Name(name).flatMap { reply.response.headerFields[$0] }
    }

    private func scrubber(_ secrets: [Secret<String>]) -> @Sendable (String) -> String {
        let hidden = secrets + [secretKey]
        return { text in
            var text = CardScrubbing.withoutNumbers(ProviderText.cut(text, atMost: StripeClient.examinedBytes))
            for secret in hidden where !secret.reveal().isEmpty {
                text = text.replacing(secret.reveal(), with: CardScrubbing.mask)
            }
            return text
        }
    }
}
