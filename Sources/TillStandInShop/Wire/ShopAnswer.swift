import TillCore

/// A response in the shop's format.
struct ShopAnswer: Sendable {
    var status: Int
    var body: JSONValue
    /// Fields of the head beyond the type.
    var fields: [(name: String, value: String)] = []
    /// A page instead of ``body``.
    var html: String?

    init(_ status: Int, _ body: JSONValue, fields: [(name: String, value: String)] = []) {
        self.status = status
        self.body = body
        self.fields = fields
    }

    var bytes: [UInt8] { html.map { Array($0.utf8) } ?? body.bytes() }
    var type: String { html == nil ? "application/json; charset=UTF-8" : "text/html; charset=UTF-8" }

    /// Creates an error: `{code, message, data}`.
    static func error(_ status: Int, _ code: String, _ message: String, data: [JSONMember] = []) -> ShopAnswer {
        ShopAnswer(
            status,
            .members([
                "code": .string(code), "message": .string(message),
                "data": .object([JSONMember(key: "status", value: .number(String(status)))] + data),
            ]))
    }

    static func unauthorized(_ message: String) -> ShopAnswer {
        error(401, "woocommerce_rest_authentication_error", message)
    }

    /// The answer to a parameter of a wrong type or range.
    static func invalid(_ name: String, _ reason: String) -> ShopAnswer {
        error(
            400, "rest_invalid_param", "Invalid parameter(s): \(name)",
            data: [
                JSONMember(key: "params", value: .object([JSONMember(key: name, value: .string(reason))])),
                JSONMember(key: "details", value: .object([])),
            ])
    }

    static func missing(_ name: String) -> ShopAnswer {
        error(
            400, "rest_missing_callback_param", "Missing parameter(s): \(name)",
            data: [JSONMember(key: "params", value: .array([.string(name)]))])
    }

    static func noRoute() -> ShopAnswer {
        error(404, "rest_no_route", "No route was found matching the URL and request method.")
    }

    /// The answer to an id without an object.
    static func unknown(_ kind: String, status: Int = 404) -> ShopAnswer {
        error(status, "woocommerce_rest_\(kind)_invalid_id", "Invalid ID.")
    }

    /// The answer to something beyond a limit of the stand-in.
    static func full(_ what: String) -> ShopAnswer {
        error(500, "woocommerce_rest_sandbox_full", "The sandbox takes no more \(what).")
    }
}

/// A refusal on the way through a request.
struct ShopRefusal: Error {
    var answer: ShopAnswer
    init(_ answer: ShopAnswer) { self.answer = answer }
}
