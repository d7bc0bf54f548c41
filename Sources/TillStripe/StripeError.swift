internal import TillCore
internal import TillHTTP

/// An error answer of Stripe, scrubbed.
struct StripeError: Sendable {
    let status: Int
    let type: String?
    let code: String?
    let declineCode: String?
    let parameter: String?
    let message: String?
    let requestID: String?
    /// Stripe's advice in `Stripe-Should-Retry`. Shown to people, but not followed here: the engine decides.
    let shouldRetry: String?
    /// Stripe answers a key with what it has answered it before.
    let isReplay: Bool
    /// The payment intent as it stands, which Stripe puts into some errors.
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

    /// What an error says about whether the thing was done.
    enum Meaning {
        /// Stripe refused it: certainly not done.
        case refused(Decline)
        /// Certainly not done, and it may go through later.
        case notNow(String)
        /// Certainly not done: Stripe rejects our own key.
        case keyRejected(String)
        /// May have been done, and Stripe gives the same answer to the same key for as long as it remembers it.
        case kept(String)
        /// May have been done.
        case unclear(String)
    }

    /// The row of the decline code, or else of the code; `nil` if Stripe has added it since.
    var row: ProviderCode? { (declineCode ?? code).flatMap { StripeCodes.errors[$0] } }

    /// The code alone does not say what became of the money: Stripe is queried before anything is said. A 400 is the
    /// answer to a repetition, too.
    var needsQuery: Bool { status == 400 || row?.money.needsQuery ?? false }

    /// Another call is at work on the same thing: that a query does not show it yet says nothing.
    private var isRunning: Bool { type == "idempotency_error" || row?.money == .notKnown && row?.retry == .later }

    var meaning: Meaning {
        switch status {
        case _ where isRunning:
            // The key belongs to a call that is still running or had other fields: that call may move money.
            .unclear(sentence("another call is being worked on"))
        case 402: .refused(decline)
        case 400, 404: .refused(decline)
        case 401, 403: .keyRejected(sentence("the provider rejected our key"))
        case 429: .notNow(sentence("the provider is busy"))
        case _ where isKept: .kept(sentence("the provider failed, and keeps this answer for the key"))
        default: .unclear(sentence("the provider failed"))
        }
    }

    /// Stripe keeps the result of each request that it has begun under its key, failures too, and gives it again for at
    /// least 24 hours. A failure of its own is known by its document; others may come from a gate in between. Source:
    /// Stripe's page "Idempotent requests".
    private var isKept: Bool { status >= 500 && isReplay || status == 500 && type == "api_error" }

    /// The error as a definite no.
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

    private func sentence(_ text: String) -> String {
        var parts = ["HTTP \(status)"]
        if let code = code ?? type { parts.append(code) }
        if let requestID { parts.append(requestID) }
        if let shouldRetry { parts.append("should retry: \(shouldRetry)") }
        return "\(text) (\(parts.joined(separator: ", ")))"
    }

    /// A code of Stripe: small letters, digits and underscores.
    static func word(_ value: JSONValue?, _ scrub: (String) -> String) -> String? {
        guard let text = value?.stringValue, (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
        else { return nil }
        let scrubbed = scrub(text)
        return scrubbed == text ? text : nil
    }

    /// One line of printable text, at most so many bytes.
    static func line(_ text: String, limit: Int) -> String {
        var line = String.UnicodeScalarView()
        for scalar in ProviderText.cut(text, atMost: limit).unicodeScalars {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(line)
    }
}
