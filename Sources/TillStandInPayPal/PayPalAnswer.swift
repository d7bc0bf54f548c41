import TillCore
import TillSandbox

/// A response in PayPal's format.
struct PayPalAnswer: Sendable {
    var status: Int
    var body: JSONValue?
    /// A body other than JSON: a certificate, a page.
    var text: String?
    var contentType = "application/json"
    /// The redirect location for a browser.
    var location: String?

    var bytes: [UInt8]? { text.map { Array($0.utf8) } ?? body?.bytes() }

    init(_ status: Int, _ body: JSONValue? = nil, location: String? = nil) {
        self.status = status
        self.body = body
        self.location = location
    }

    /// Creates a response with a body other than JSON.
    init(_ status: Int, text: String, contentType: String) {
        self.status = status
        self.text = text
        self.contentType = contentType
    }

    /// A fault of a request: issue, field, and a description in our words.
    struct Fault: Hashable, Sendable {
        var issue: String
        var field: String?
        var location: String?
        var note: String?

        init(_ issue: String, _ field: String? = nil, location: String? = "body", note: String? = nil) {
            self.issue = issue
            self.field = field
            self.location = location
            self.note = note
        }
    }

    /// The response to a malformed request.
    static func badRequest(_ faults: [Fault]) -> PayPalAnswer {
        error(
            400, "INVALID_REQUEST", "Request is not well-formed, syntactically incorrect, or violates schema.", faults)
    }

    /// The response to a well-formed request that PayPal refuses.
    static func refused(_ issue: String, _ field: String? = nil, note: String? = nil) -> PayPalAnswer {
        refused([Fault(issue, field, note: note)])
    }

    static func refused(_ faults: [Fault]) -> PayPalAnswer {
        error(
            422, "UNPROCESSABLE_ENTITY",
            "The requested action could not be performed, semantically incorrect, or failed business validation.",
            faults)
    }

    static func missing(_ issue: String = "INVALID_RESOURCE_ID") -> PayPalAnswer {
        error(
            404, "RESOURCE_NOT_FOUND", "The specified resource does not exist.",
            [Fault(issue, location: "path")])
    }

    /// The response to an app without the required permission.
    static func forbidden() -> PayPalAnswer {
        error(
            403, "NOT_AUTHORIZED", "Authorization failed due to insufficient permissions.",
            [Fault("PERMISSION_DENIED", location: nil)])
    }

    static func inProgress() -> PayPalAnswer {
        error(
            409, "RESOURCE_CONFLICT", "The server has detected a conflict while processing this request.",
            [Fault("PREVIOUS_REQUEST_IN_PROGRESS")])
    }

    static func unauthorized() -> PayPalAnswer {
        error(
            401, "AUTHENTICATION_FAILURE",
            "Authentication failed due to missing Authorization header, or invalid authentication credentials.", [])
    }

    static func failure(_ status: Int) -> PayPalAnswer {
        status == 503
            ? error(503, "SERVICE_UNAVAILABLE", "Service Unavailable.", [])
            : error(status, "INTERNAL_SERVER_ERROR", "An internal server error occurred.", [])
    }

    static func unsupportedMedia() -> PayPalAnswer {
        error(415, "UNSUPPORTED_MEDIA_TYPE", "The server does not support the request payload's media type.", [])
    }

    private static func error(_ status: Int, _ name: String, _ message: String, _ faults: [Fault]) -> PayPalAnswer {
        let details = faults.map { fault in
            JSONValue.members([
                "issue": .string(fault.issue), "field": fault.field.json, "location": fault.location.json,
                "sandbox_note": fault.note.json,
            ])
        }
        let id = StableHash.hex("\(status) \(name) \(faults)").prefix(13)
        return PayPalAnswer(
            status,
            .members([
                "name": .string(name), "message": .string(message), "debug_id": .string(String(id)),
                "details": faults.isEmpty ? nil : .array(details), "links": .array([]),
            ]))
    }
}
