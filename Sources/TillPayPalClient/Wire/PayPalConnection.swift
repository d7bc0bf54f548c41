import HTTPTypes
package import TillCore

/// The outcome of one call, before it is interpreted for the payment.
package enum PayPalOutcome: Sendable {
    /// A 2xx answer: status, document (`null` if empty) and PayPal's debug id.
    case answered(Int, JSONValue, debugID: String?)
    /// An error answer from PayPal.
    case failed(PayPalError)
    case notSent(String)
    /// No answer, or an unreadable one.
    case unknown(String)
}

/// Provides the `Authorization` header field of a call.
package protocol PayPalAuthorizer: Sendable {
    /// Returns the header field, or the reason for its absence; in that case nothing was sent.
    func authorization(within span: Span) async -> Result<Secret<String>, PayPalAuthorizationFailure>
    /// Reports that PayPal refused this field. Returns `true` if a new one may be available, so that the call can be
    /// sent once more.
    func wasRefused(_ field: Secret<String>) async -> Bool
}

/// The reason for a missing credential.
package enum PayPalAuthorizationFailure: Error, Sendable {
    /// PayPal refused the client id or the secret.
    case refused(PayPalError)
    /// PayPal could not be reached for a token.
    case unavailable(String)
}

/// Sends calls and parses answers; has no knowledge of payments.
package struct PayPalConnection: Sendable {
    /// The number of bytes of a text examined for secrets and card numbers; the rest is discarded.
    private static let examinedBytes = 4_096

    package let environment: PayPalEnvironment
    package let transport: any HTTPTransport
    package let authorizer: any PayPalAuthorizer
    package let clock: any TillClock

    package init(
        environment: PayPalEnvironment, transport: any HTTPTransport, authorizer: any PayPalAuthorizer,
        clock: any TillClock
    ) {
        self.environment = environment
        self.transport = transport
        self.authorizer = authorizer
        self.clock = clock
    }

    /// Sends a call. A 401 guarantees that nothing was executed, so the call is sent once more with a new token.
    package func send(_ call: PayPalCall, within deadline: Span) async -> PayPalOutcome {
        let end = clock.now().adding(deadline)
        for isSecond in [false, true] {
            let field: Secret<String>
            switch await authorizer.authorization(within: end.since(clock.now())) {
            case .success(let usable): field = usable
            case .failure(.refused(let error)): return .failed(error)
            case .failure(.unavailable(let reason)): return .notSent(reason)
            }
            let outcome = await PayPalConnection.exchange(
                call, environment: environment, transport: transport, authorization: field,
                within: end.since(clock.now()))
            guard !isSecond, case .failed(let error) = outcome, error.status == 401 else { return outcome }
            guard await authorizer.wasRefused(field) else { return outcome }
        }
        return .notSent("PayPal takes no token")
    }

    /// Performs one exchange with a given credential.
    package static func exchange(
        _ call: PayPalCall, environment: PayPalEnvironment, transport: any HTTPTransport,
        authorization: Secret<String>, within deadline: Span
    ) async -> PayPalOutcome {
        if let key = call.key, key.rawValue.isEmpty || key.rawValue.utf8.count > PayPalCall.maximumKeyBytes {
            return .notSent("the key of the call has no usable length")
        }
        let scrub = scrubber(call.secrets + [authorization])
        let reply: HTTPReply
        do {
            reply = try await transport.send(
                call.request(to: environment, authorization: authorization), body: call.body, deadline: deadline)
        } catch {
            switch error {
            case .notSent(let reason): return .notSent(scrub(reason))
            case .unknown(let reason): return .unknown(scrub(reason))
            }
        }
        let status = reply.response.status.code
        let headerID = HTTPField.Name("PayPal-Debug-Id").flatMap { reply.response.headerFields[$0] }
        let debugID = headerID.map { PayPalWireText.line(scrub($0), limit: 64) }
        let document = JSONValue(ifValid: reply.body)
        switch status {
        case 200..<300:
            if reply.body.isEmpty { return .answered(status, .null, debugID: debugID) }
            guard let document, document.objectValue != nil else {
                return .unknown("the answer cannot be read (HTTP \(status)\(debugID.map { ", \($0)" } ?? ""))")
            }
            return .answered(status, document, debugID: debugID)
        case 400, 402, 403, 404, 409, 415, 422:
            // Only PayPal answers in this form. Anything else may come from an intermediary, which cannot know the fate
            // of the request.
            guard document?["name"]?.stringValue != nil || document?["error"]?.stringValue != nil else {
                return .unknown("the answer cannot be read (HTTP \(status))")
            }
            fallthrough
        default:
            return .failed(PayPalError(status: status, body: document, debugID: debugID, scrub: scrub))
        }
    }

    private static func scrubber(_ hidden: [Secret<String>]) -> @Sendable (String) -> String {
        { text in
            var text = CardNumberMask.maskedForPeople(ProviderText.cut(text, atMost: examinedBytes))
            for secret in hidden where secret.reveal().utf8.count >= 3 && holds(text, secret.reveal()) {
                text = text.replacing(secret.reveal(), with: CardNumberMask.mask)
            }
            return text
        }
    }

    /// Returns `true` if `text` contains `part`, byte for byte: a cheap check, because a match is rare.
    private static func holds(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard let first = part.first, part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0] == first && text[$0...].starts(with: part) }
    }
}
