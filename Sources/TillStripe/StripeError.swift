internal import TillCore
internal import TillHTTP

/// An error response of Stripe, scrubbed.
struct StripeError: Sendable {
    let status: Int
    let type: String?
    let code: String?
    let declineCode: String?
    let parameter: String?
    let message: String?
    let requestID: String?
    /// Stripe's advice in `Stripe-Should-Retry`. Displayed only; the engine decides about retries.
    let shouldRetry: String?
    /// `true` if Stripe replayed the stored response of the idempotency key.
    let isReplay: Bool
    /// The current payment intent, which Stripe includes in some errors.
    let paymentIntent: JSONValue?

    init(
        status: Int, body: JSONValue?, requestID: String?, shouldRetry: String? = nil, isReplay: Bool = false,
        scrub: (String) -> String
    ) {
        let error = body?["error"]
        self.status = status
        type = StripeError.word(error?["type"], scrub)
        code = StripeError.word(error?["code"], scrub)
        declineCode = StripeError.word(error?["decline_code"], scrub)
        parameter = error?["param"]?.stringValue.map { StripeError.line(scrub($0), limit: 100) }
        message = error?["message"]?.stringValue.map { StripeError.line(scrub($0), limit: 500) }
        self.requestID = requestID
        self.shouldRetry = shouldRetry
        self.isReplay = isReplay
        paymentIntent = error?["payment_intent"]
    }

    /// The certainty of an error: confirmed not done, or possibly done.
    enum Meaning {
        /// Refused by Stripe: confirmed not done.
        case refused(Decline)
        /// Confirmed not done; a later attempt may succeed.
        case notNow(String)
        /// Confirmed not done: Stripe rejected the API key.
        case keyRejected(String)
        /// Possibly done. Stripe returns the same response to the same key for as long as it remembers it.
        case kept(String)
        /// Possibly done.
        case unclear(String)
    }

    /// The row of the decline code, or else of the code; `nil` for a code unknown to this version.
    var row: ProviderCode? { (declineCode ?? code).flatMap { StripeCodes.errors[$0] } }

    /// `true` if the code alone does not determine the state of the money, so that Stripe must be queried first. A 400
    /// may also be the response to a retry.
    var needsQuery: Bool { status == 400 || row?.money.needsQuery ?? false }

    /// `true` if another call is processing the same object; a query that does not show it yet proves nothing.
    private var isRunning: Bool { type == "idempotency_error" || row?.money == .notKnown && row?.retry == .later }

    var meaning: Meaning {
        switch status {
        case _ where isRunning:
            // The key belongs to a call that is in progress or had other fields: that call may move money.
            .unclear(sentence("another call is being worked on"))
        case 402: .refused(decline)
        case 400, 404: .refused(decline)
        case 401, 403: .keyRejected(sentence("the provider rejected our key"))
        case 429: .notNow(sentence("the provider is busy"))
        case _ where isKept: .kept(sentence("the provider failed, and keeps this answer for the key"))
        default: .unclear(sentence("the provider failed"))
        }
    }

    /// `true` for a failure stored under the idempotency key. Stripe stores the result of each request that it started,
    /// failures included, and replays it for at least 24 hours. Its own failures are identified by their document;
    /// others may come from an intermediary. Source: Stripe's page "Idempotent requests".
    private var isKept: Bool { status >= 500 && isReplay || status == 500 && type == "api_error" }

    /// The error as a definite decline.
    var decline: Decline {
        let raw = declineCode ?? code
        let reason: DeclineReason
        if let raw {
            reason = row?.reason ?? (status == 402 ? DeclineReason(rawValue: raw) : .invalidRequest)
        } else {
            reason = status == 402 ? .generic : .invalidRequest
        }
        let text = [message, parameter.map { "(parameter: \($0))" }].compactMap { $0 }.joined(separator: " ")
        return Decline(reason: reason, code: raw, message: text.isEmpty ? nil : text, requestID: requestID)
    }

    /// The decline of a wallet's token for which Stripe rejects the request itself and no card: it does not know a
    /// parameter, or has not opened it for the account; `nil` for any other error. Stripe answers 400, or 402 for card
    /// data that the account may not send.
    var refusedHandover: Decline? {
        guard type == "invalid_request_error", case .refused(var decline) = meaning else { return nil }
        decline.reason = .notEnabled
        return decline
    }

    private func sentence(_ text: String) -> String {
        var parts = ["HTTP \(status)"]
        if let code = code ?? type { parts.append(code) }
        if let requestID { parts.append(requestID) }
        if let shouldRetry { parts.append("should retry: \(shouldRetry)") }
        return "\(text) (\(parts.joined(separator: ", ")))"
    }

    /// Returns a Stripe code: lower-case letters, digits and underscores.
    static func word(_ value: JSONValue?, _ scrub: (String) -> String) -> String? {
        guard let text = value?.stringValue, (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
        else { return nil }
        let scrubbed = scrub(text)
        return scrubbed == text ? text : nil
    }

    /// Returns one line of printable text, at most `limit` bytes.
    static func line(_ text: String, limit: Int) -> String {
        var line = String.UnicodeScalarView()
        for scalar in ProviderText.cut(text, atMost: limit).unicodeScalars {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(line)
    }
}
