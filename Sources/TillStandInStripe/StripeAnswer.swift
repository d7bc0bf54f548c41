import TillCore

/// A response in Stripe's format.
struct StripeAnswer: Hashable, Sendable {
    var status: Int
    var body: String
    var isReplay = false
    /// The event to deliver by webhook after the response.
    var event: Event?

    struct Event: Hashable, Sendable {
        var type: String
        var object: JSONValue
    }

    init(status: Int, body: String, isReplay: Bool = false) {
        self.status = status
        self.body = body
        self.isReplay = isReplay
    }

    init(_ json: JSONValue, status: Int = 200) { self.init(status: status, body: json.text) }

    static func error(
        _ status: Int, _ type: String, code: String? = nil, decline: String? = nil, param: String? = nil,
        _ message: String, intent: JSONValue? = nil, setupIntent: JSONValue? = nil
    ) -> StripeAnswer {
        var members = [
            JSONMember(key: "type", value: .string(type)), JSONMember(key: "message", value: .string(message)),
        ]
        for (key, value) in [("code", code), ("decline_code", decline), ("param", param)] {
            if let value { members.append(JSONMember(key: key, value: .string(value))) }
        }
        if let intent { members.append(JSONMember(key: "payment_intent", value: intent)) }
        if let setupIntent { members.append(JSONMember(key: "setup_intent", value: setupIntent)) }
        return StripeAnswer(.fields(["error": .object(members)]), status: status)
    }

    static func missing(_ what: String, _ id: String) -> StripeAnswer {
        error(
            404, "invalid_request_error", code: "resource_missing", param: "id", "No such \(what): '\(id.prefix(64))'")
    }

    /// Returns the refusal of a parameter that names an object which does not exist.
    static func unknown(_ param: String, _ what: String, _ id: String) -> StripeAnswer {
        error(
            400, "invalid_request_error", code: "resource_missing", param: param, "No such \(what): '\(id.prefix(64))'")
    }

    /// Returns the answer to a request that no route takes.
    static func unrecognized(_ request: SandboxStripe.Request) -> StripeAnswer {
        let asked = request.path.joined(separator: "/").prefix(100)
        return error(404, "invalid_request_error", "Unrecognized request URL (\(request.method) /\(asked)).")
    }

    static func invalid(_ param: String, _ message: String, code: String = "parameter_invalid") -> StripeAnswer {
        error(400, "invalid_request_error", code: code, param: param, message)
    }

    /// The stored form for a replay: the status, a space, the body.
    var kept: String { "\(status) \(body)" }

    init?(kept: String) {
        guard let space = kept.firstIndex(of: " "), let status = Int(kept[..<space]) else { return nil }
        self.init(status: status, body: String(kept[kept.index(after: space)...]), isReplay: true)
    }
}

extension JSONValue {
    static func fields(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { JSONMember(key: $0.key, value: $0.value) })
    }
    static func int(_ value: Int64) -> JSONValue { .number(String(value)) }
    static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    static func map(_ values: [String: String]) -> JSONValue {
        .object(values.sorted { $0.key < $1.key }.map { JSONMember(key: $0.key, value: .string($0.value)) })
    }
}
