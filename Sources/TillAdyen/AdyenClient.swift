internal import HTTPTypes
internal import TillCore

/// What came of one call.
enum AdyenOutcome: Sendable {
    /// A 2xx with a document.
    case answered(JSONValue)
    /// A 4xx: certainly not done.
    case refused(AdyenError)
    /// No request left, or Adyen was too busy to take it.
    case notSent(String)
    /// There is no answer, or none that says whether it was done.
    case unknown(String)
}

/// Adyen's document of an error.
struct AdyenError: Sendable {
    let status: Int
    let code: String?
    let type: String?
    let message: String?
    /// Adyen's name for the request; its support asks for it.
    let reference: String?

    init(status: Int, _ json: JSONValue?) {
        func word(_ name: String, _ limit: Int) -> String? {
            json?[name]?.stringValue.map { CardScrubbing.withoutNumbers(String($0.prefix(limit))) }
        }
        self.status = status
        code = word("errorCode", 32)
        type = word("errorType", 32)
        message = word("message", 300)
        // Sixteen capitals and digits; scrubbing would take an all-digit one for a card.
        reference = json?["pspReference"]?.stringValue.flatMap { AdyenReference.isUsable($0) ? $0 : nil }
    }

    /// The error as a definite no.
    var decline: Decline {
        let reason: DeclineReason =
            switch code {
            case "101": .incorrectNumber
            case "103": .incorrectCVC
            case "129", "132": .invalidRequest
            case "137", "138": .invalidAmount
            default: .invalidRequest
            }
        let text = message ?? "Adyen refused the request (HTTP \(status))"
        return Decline(reason: reason, code: code, message: text, requestID: reference)
    }
}

/// Sends calls and reads answers; knows nothing of payments.
struct AdyenClient: Sendable {
    let config: AdyenConfig
    let transport: any HTTPTransport

    func post(_ path: String, _ body: JSONValue, key: IdempotencyKey, within deadline: Span) async -> AdyenOutcome {
        var request = HTTPRequest(
            method: .post, scheme: config.scheme, authority: config.authority,
            path: "\(config.path)/\(AdyenConfig.version)\(path)")
        for (name, value) in [
            ("User-Agent", "Till/1 (payments in Swift)"), ("Content-Type", "application/json"),
            ("X-API-Key", config.apiKey.reveal()), ("Idempotency-Key", key.rawValue),
        ] {
            if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
        }
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(request, body: body.bytes(), deadline: deadline)
        } catch {
            switch error {
            case .notSent(let reason): return .notSent(reason)
            case .unknown(let reason): return .unknown(reason)
            }
        }
        let status = reply.response.status.code
        let json = try? JSONValue(parsing: reply.body)
        switch status {
        case 200..<300:
            guard let json else { return .unknown("the answer can not be read (HTTP \(status))") }
            return .answered(json)
        case 400..<500:
            let error = AdyenError(status: status, json)
            switch (status, error.code) {
            // The same key is being worked on, or was used for another request: that one may move money.
            case (_, "704"), (409, _): return .unknown("the key is in use (HTTP \(status), code \(error.code ?? "none"))")
            case (408, _): return .unknown("no answer in time (HTTP 408)")
            case (429, _): return .notSent("Adyen is busy (HTTP 429)")
            default: return .refused(error)
            }
        default: return .unknown("Adyen failed (HTTP \(status))")
        }
    }
}

/// Adyen's names of payments and modifications.
enum AdyenReference {
    /// Adyen's names are capitals and digits; what goes into a path must be nothing else.
    static func isUsable(_ text: String) -> Bool {
        (4...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    static func of(_ json: JSONValue) -> ProviderReference? {
        json["pspReference"]?.stringValue.flatMap { isUsable($0) ? ProviderReference(rawValue: $0) : nil }
    }
}
