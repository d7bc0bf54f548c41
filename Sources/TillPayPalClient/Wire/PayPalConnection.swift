import HTTPTypes
package import TillCore

/// What came of one call, before anybody knows what it means for the payment.
package enum PayPalOutcome: Sendable {
    /// A 2xx: status, document (`null` for an empty answer) and PayPal's debug id.
    case answered(Int, JSONValue, debugID: String?)
    /// An error answer of PayPal.
    case failed(PayPalError)
    case notSent(String)
    /// There is no answer, or none that can be read.
    case unknown(String)
}

/// Gives the `Authorization` header field of a call.
package protocol PayPalAuthorizer: Sendable {
    /// The field, or why there is none; nothing of the call has left then.
    func authorization(within span: Span) async -> Result<Secret<String>, PayPalAuthorizationFailure>
    /// PayPal has refused this field. True if another may be had, so that the call can be sent once more.
    func wasRefused(_ field: Secret<String>) async -> Bool
}

/// Why there is no credential for a call.
package enum PayPalAuthorizationFailure: Error, Sendable {
    /// PayPal refuses the client id or the secret.
    case refused(PayPalError)
    /// PayPal could not be asked for a token.
    case unavailable(String)
}

/// Sends calls and reads answers; knows nothing of payments.
package struct PayPalConnection: Sendable {
    /// What is examined of a text for secrets and numbers, in bytes; no more of it is kept anywhere.
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

    /// Sends a call. A 401 says that nothing was done, so the call is sent once more with a new token.
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

    /// One exchange with a given credential.
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
            // Only PayPal answers in this form. Anything else may come from a gate in between, which cannot know
            // what became of the request.
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
            var text = CardScrubbing.withoutNumbers(ProviderText.cut(text, atMost: examinedBytes))
            for secret in hidden where secret.reveal().utf8.count >= 3 && holds(text, secret.reveal()) {
                text = text.replacing(secret.reveal(), with: CardScrubbing.mask)
            }
            return text
        }
    }

    /// Whether a text has another in it, byte for byte: rather than to search it for what is hardly ever there.
    private static func holds(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard let first = part.first, part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0] == first && text[$0...].starts(with: part) }
    }
}
