internal import HTTPTypes
internal import TillCore

/// The outcome of one call to Adyen.
enum AdyenOutcome: Sendable {
    /// A 2xx with its document.
    case answered(JSONValue)
    /// A 4xx: status, document and Adyen's request id.
    case refused(Int, JSONValue, requestID: String?)
    /// A 401 or 403: Adyen rejects Till's own key and has executed nothing.
    case keyRejected(String)
    /// No request was sent, or Adyen reports that it accepted none.
    case notSent(String)
    /// No answer, or an unreadable one.
    case unknown(String)
}

/// Sends calls and parses answers; has no knowledge of payments.
struct AdyenGateway: Sendable {
    /// Maximum length of an idempotency key accepted by Adyen.
    static let longestKey = 64

    let config: AdyenConfig
    let transport: any HTTPTransport

    /// Sends a POST to a path below the version.
    func post(
        _ path: String, _ body: JSONValue, key: IdempotencyKey?, within deadline: Span
    ) async -> AdyenOutcome {
        await send(config.prefix + "/" + AdyenConfig.version + path, body, key: key, within: deadline)
    }

    /// Sends a GET to a path below the version.
    func get(_ path: String, within deadline: Span) async -> AdyenOutcome {
        await send(config.prefix + "/" + AdyenConfig.version + path, nil, key: nil, within: deadline)
    }

    /// Sends a request to an absolute path of the same host: a POST, or a GET without a body.
    func send(
        _ path: String, _ body: JSONValue?, key: IdempotencyKey?, within deadline: Span
    ) async -> AdyenOutcome {
        var request = HTTPRequest(
            method: body == nil ? .get : .post, scheme: config.scheme, authority: config.authority, path: path)
        var fields = [
            ("X-API-Key", config.apiKey.reveal()), ("Accept", "application/json"),
            ("User-Agent", "Till/1 (payments in Swift)"),
        ]
        if body != nil { fields.append(("Content-Type", "application/json")) }
        if let key {
            guard key.rawValue.utf8.count <= AdyenGateway.longestKey else {
                return .notSent("the key is longer than Adyen accepts")
            }
            fields.append(("Idempotency-Key", key.rawValue))
        }
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
        }
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(request, body: body?.bytes() ?? [], deadline: deadline)
        } catch {
            switch error {
            case .notSent(let reason): return .notSent(reason)
            case .unknown(let reason): return .unknown(reason)
            }
        }
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { reply.response.headerFields[$0] } }
        let status = reply.response.status.code
        let document = JSONValue(ifValid: reply.body)
        switch status {
        case 200..<300:
            guard let document else { return .unknown("the answer cannot be read (HTTP \(status))") }
            return .answered(document)
        case 429: return .notSent("the provider is busy (HTTP 429)")
        case 401, 403: return .keyRejected("Adyen rejected our key (HTTP \(status))")
        case 400..<500:
            let code = document?["errorCode"]?.stringValue.map { ProviderText.cut($0, atMost: 32) }
            // Already done, or the same key is being processed and its answer is still to come.
            let isOpen = code.flatMap { AdyenCodes.errors[$0] }?.money.needsQuery ?? false
            if isOpen || field("Transient-Error") == "true" {
                return .unknown("the same request is being worked on, or was done before (error \(code ?? "none"))")
            }
            let requestID = document?["pspReference"]?.stringValue ?? field("pspReference")
            return .refused(status, document ?? .null, requestID: requestID.map { ProviderText.cut($0, atMost: 64) })
        default: return .unknown("the provider failed (HTTP \(status))")
        }
    }
}

extension JSONValue {
    /// Creates an object from pairs, omitting those that are `nil`.
    static func adyen(_ pairs: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(pairs.compactMap { pair in pair.value.map { JSONMember(key: pair.key, value: $0) } })
    }
}
