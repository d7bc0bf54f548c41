package import Hummingbird

/// The query parameters that a route accepts. Others are refused by name: a misspelled filter would otherwise be
/// ignored.
package enum QueryParameters: ExpressibleByArrayLiteral, Sendable {
    /// Only these.
    case named([String])
    /// Any parameters: external systems create or share the address and append their own.
    case any

    package init(arrayLiteral names: String...) { self = .named(names) }

    /// - Throws: ``Problem`` with 400 that names the first unknown parameter, and all known ones.
    package func check(_ request: Request) throws(Problem) {
        guard case .named(let names) = self, request.uri.query?.isEmpty == false else { return }
        for (name, _) in request.uri.queryParameters where !name.isEmpty && !names.contains(String(name)) {
            let known = names.isEmpty ? "none" : names.joined(separator: ", ")
            var problem = Problem(
                .badRequest, "unknown_parameter", "\(name.prefix(64)): There is no such parameter.",
                next: "Parameters of this address: \(known).")
            problem.errors = [(String(name.prefix(64)), "There is no such parameter.")]
            throw problem
        }
    }
}
