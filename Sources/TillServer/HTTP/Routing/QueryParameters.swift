import Hummingbird

/// The parameters that the query of a route may have. Another one is refused by name: a misspelled filter would
/// be taken for none.
enum QueryParameters: ExpressibleByArrayLiteral, Sendable {
    /// These and no others.
    case named([String])
    /// Whatever comes: the address is one that others make, send and add words of their own to.
    case any

    init(arrayLiteral names: String...) { self = .named(names) }

    /// - Throws: ``Problem`` with 400 that names the first parameter there is not, and all there are.
    func check(_ request: Request) throws(Problem) {
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
