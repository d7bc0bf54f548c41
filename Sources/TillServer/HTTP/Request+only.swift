import HTTPTypes
import Hummingbird

extension Request {
    /// Reads, and changes nothing.
    var isReading: Bool { method == .get || method == .head }

    /// Refuses every method but one; who may read may also ask for the head alone.
    func only(_ allowed: HTTPRequest.Method) throws {
        guard method == allowed || (allowed == .get && isReading) else {
            var problem = Problem(
                .methodNotAllowed, "method_not_allowed", "This address does not take \(method.rawValue).",
                next: "Use \(allowed.rawValue).")
            problem.headers[.allow] = allowed == .get ? "GET, HEAD" : allowed.rawValue
            throw problem
        }
    }
}
