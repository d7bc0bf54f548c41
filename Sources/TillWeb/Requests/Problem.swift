package import HTTPTypes
package import Hummingbird
package import TillCore
package import TillCounter

/// An error response (RFC 9457), which always states if money moved, and the next step.
package struct Problem: Error {
    package var status: HTTPResponse.Status
    package var code: String
    package var detail: String
    package var moneyMoved = MoneyMoved.no
    package var next: String
    package var errors: [(field: String, message: String)] = []
    var differences: [String] = []
    /// The missing scope, and the scopes held.
    package var scopes: (needed: APIScope, held: Set<APIScope>)?
    /// The permission that a role lacks.
    var permission: String?
    /// What another staff member can approve.
    var approvable: Approvable?
    /// The refused caller, if known; for the audit log.
    package var by: Actor?
    package var headers = HTTPFields()

    package init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, next: String) {
        self.status = status
        self.code = code
        self.detail = detail
        self.next = next
    }

    /// Creates the problem of an invalid request field.
    package static func field(_ field: String, _ message: String, code: String = "invalid_request") -> Problem {
        var problem = Problem(.unprocessableContent, code, "\(field): \(message)", next: "Correct the request.")
        problem.errors = [(field, message)]
        return problem
    }

    package static let notFound = Problem(
        .notFound, "not_found", "There is nothing at this address.", next: "Check the address.")
    package static let unauthorized: Problem = {
        var problem = Problem(
            .unauthorized, "unauthorized", "No valid key came with the request.",
            next: "Send the header Authorization: Bearer with a key of this till.")
        problem.headers[.wwwAuthenticate] = "Bearer realm=\"till\""
        return problem
    }()
    package static let tooLarge = Problem(
        .contentTooLarge, "body_too_large", "The body is too large.", next: "Send a smaller request.")

    static let tooSlow: Problem = {
        var problem = Problem(
            .requestTimeout, "body_too_slow", "The body took too long to come.",
            next: "Send the whole request again with the same key.")
        problem.headers[.connection] = "close"
        return problem
    }()

    /// Returns a copy with the refused caller, or with the unproven claimed identity.
    package func claimed(by actor: Actor) -> Problem {
        var copy = self
        copy.by = actor
        return copy
    }

    package func retrying(after seconds: Int = 1) -> Problem {
        var copy = self
        copy.headers[.retryAfter] = String(seconds)
        return copy
    }

    /// Creates the response for any request error. Nothing of an unexpected error is exposed.
    package init(_ error: any Error) {
        if let error = error as? any ProblemConvertible {
            self = error.problem
            return
        }
        self.init(
            .internalServerError, "internal_error", "The till could not do this.",
            next: "Check the payment before you try again with the same key.")
        moneyMoved = .unknown
    }

    package var response: Response {
        var writer = JSONWriter(reserving: 384)
        writer.beginObject()
        writer.field("type", "about:blank")
        writer.field("title", status.reasonPhrase)
        writer.field("status", status.code)
        // A card number typed into the wrong field must not be echoed in an error.
        writer.field("detail", CardNumberMask.maskedForPeople(detail))
        writer.field("code", code)
        writer.field("money_moved", moneyMoved.rawValue)
        writer.field("next", CardNumberMask.maskedForPeople(next))
        if !differences.isEmpty {
            writer.field("differences", .array(differences.map { .string(CardNumberMask.maskedForPeople($0)) }))
        }
        if let scopes {
            writer.field("scope_needed", scopes.needed.rawValue)
            writer.key("scopes")
            writer.beginArray()
            for word in scopes.held.words { writer.string(word) }
            writer.endArray()
        }
        if let permission { writer.field("permission_needed", permission) }
        if let approvable {
            writer.key("approval")
            approvable.write(into: &writer)
        }
        if !errors.isEmpty {
            writer.key("errors")
            writer.beginArray()
            for error in errors {
                writer.beginObject()
                writer.field("field", CardNumberMask.maskedForPeople(error.field))
                writer.field("message", CardNumberMask.maskedForPeople(error.message))
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: writer.bytes)))
    }
}
