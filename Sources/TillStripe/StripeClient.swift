internal import HTTPTypes
internal import TillCore
internal import TillHTTP

/// The outcome of one API call, not yet interpreted for the payment.
enum StripeOutcome: Sendable {
    /// A 2xx response with a document.
    case answered(JSONValue)
    case failed(StripeError)
    case notSent(String)
    /// No response, or an unreadable one.
    case unknown(String)
}

/// Sends calls and parses responses; independent of payments.
struct StripeClient: Sendable {
    /// The maximum number of bytes of a text examined for secrets and card numbers; the rest is discarded.
    static let examinedBytes = 4_096

    let secretKey: Secret<String>
    let scheme: String
    let authority: String
    let transport: any HTTPTransport

    /// - Parameter secrets: values in this call that must not appear in any returned text.
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
            // Only Stripe responds in this form. Anything else may come from an intermediary, which cannot know the
            // outcome of the request.
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
            var text = StripeAmount.scrub(ProviderText.cut(text, atMost: StripeClient.examinedBytes))
            for secret in hidden where !secret.reveal().isEmpty {
                text = text.replacing(secret.reveal(), with: CardNumberMask.mask)
            }
            return text
        }
    }
}
