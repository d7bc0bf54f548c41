import HTTPTypes
package import Hummingbird

/// A wrapper around every request below some addresses.
package struct RouteScope: Sendable {
    package typealias Next = @Sendable () async throws -> Response

    /// Returns `true` if the scope contains a path.
    package let contains: @Sendable (_ path: String) -> Bool
    package let answer: @Sendable (Request, RouteContext, _ next: Next) async throws -> Response

    package init(
        contains: @escaping @Sendable (_ path: String) -> Bool,
        answer: @escaping @Sendable (Request, RouteContext, _ next: Next) async throws -> Response
    ) {
        self.contains = contains
        self.answer = answer
    }
}

/// The routes of a counter. Most have no parameters, among them every file of the pages, and are found by their whole
/// path in one lookup; only the others are searched for component by component.
package struct CounterRoutes: Sendable {
    /// The handlers of an address, by method.
    typealias Methods = [HTTPRequest.Method: any HTTPResponder<RouteContext>]

    /// The routes without parameters, by path.
    let plain: [String: Methods]
    /// The routes with parameters.
    let router: RouterResponder<RouteContext>
    /// The answers to requests without a route.
    let addresses: RouteAddresses
    package let scopes: [RouteScope]

    /// Answers a request by its route.
    /// - Throws: The route's error; ``Problem/notFound`` without a route, and 405 for an unsupported method.
    package func respond(to request: Request, _ context: RouteContext) async throws -> Response {
        let path = request.uri.path
        guard let scope = scopes.first(where: { $0.contains(path) }) else {
            return try await found(request, path, context)
        }
        return try await scope.answer(request, context) { try await found(request, path, context) }
    }

    private func found(_ request: Request, _ path: String, _ context: RouteContext) async throws -> Response {
        guard let methods = plain[path] else {
            guard CounterRoutes.isWhole(path) else { throw Problem.notFound }
            return try await router.respond(to: request, context: context)
        }
        guard let responder = methods[request.method] else { return try await addresses.refuse(request, context) }
        // The template, for metrics.
        context.label = path
        do {
            return try await responder.respond(to: request, context: context)
        } catch let error as any HTTPResponseError {
            // As the router does with errors that are answers.
            return try error.response(from: request, context: context)
        }
    }

    /// Returns `true` for a path that begins with a slash, ends without one and has no empty component. The router
    /// ignores all three, so a proxy's rule for one spelling of an address would not apply to another.
    static func isWhole(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            guard bytes.first == UInt8(ascii: "/") else { return false }
            guard bytes.count > 1 else { return true }
            var previous: UInt8 = 0
            for byte in bytes {
                if byte == UInt8(ascii: "/"), previous == byte { return false }
                previous = byte
            }
            return previous != UInt8(ascii: "/")
        }
    }
}
