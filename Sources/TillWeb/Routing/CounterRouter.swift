package import HTTPTypes
package import Hummingbird
import Synchronization
import TillCore
package import TillCounter

/// Hummingbird's router with the registration interface of the counter's features: a route declares its required
/// scope, its maximum body size and its query parameters. Used during startup; ``built(for:)`` creates the lookup.
package final class CounterRouter {
    /// The handler of an authenticated route.
    package typealias Handler = @Sendable (Incoming) async throws -> Response
    /// The handler of an open route.
    package typealias OpenHandler = @Sendable (Request, Parameters) async throws -> Response

    /// An address with the methods registered together.
    package struct Route: Sendable {
        let methods: [HTTPRequest.Method]
        /// The path; a component in braces matches any text.
        let template: String
        package let query: QueryParameters
        /// The required scope of the caller; `nil` for an open route.
        let scope: APIScope?
        /// The required scope of a staff member, in addition.
        package let needed: StaffPermission?
        package let owner: RouteOwner
        package let audience: RouteAudience
        /// `true` if the route requires no authentication.
        package var isOpen: Bool { scope == nil }
    }

    /// All registered routes.
    package var routes: [Route] { entries.map(\.route) }
    private var entries: [(route: Route, responder: any HTTPResponder<RouteContext>)] = []
    private var scopes: [RouteScope] = []
    private let authenticator: RequestAuthenticator
    private let options: ServerOptions

    package init(authenticator: RequestAuthenticator, options: ServerOptions) {
        self.authenticator = authenticator
        self.options = options
    }

    /// Registers a read route, with `HEAD`.
    package func get(
        _ template: String, for scope: APIScope, of owner: RouteOwner, needs needed: StaffPermission? = nil,
        query: QueryParameters = [], use handler: @escaping Handler
    ) {
        on([.get, .head], template, for: scope, of: owner, needs: needed, query: query, use: handler)
    }

    /// Registers a write route.
    /// - Parameter maximumBodyBytes: The maximum body size; `nil` for the counter's default.
    package func post(
        _ template: String, for scope: APIScope, of owner: RouteOwner, needs needed: StaffPermission? = nil,
        maximumBodyBytes: Int? = nil, use handler: @escaping Handler
    ) {
        on(
            [.post], template, for: scope, of: owner, needs: needed, maximumBodyBytes: maximumBodyBytes,
            use: handler)
    }

    /// Registers a route for callers with the scope, authenticated by a key or a page session.
    package func on(
        _ methods: [HTTPRequest.Method], _ template: String, for scope: APIScope, of owner: RouteOwner,
        needs needed: StaffPermission? = nil, query: QueryParameters = [], maximumBodyBytes: Int? = nil,
        use handler: @escaping Handler
    ) {
        add(
            Route(
                methods: methods, template: template, query: query, scope: scope, needed: needed,
                owner: owner, audience: .clerk),
            AccountResponder(
                authenticator: authenticator, scope: scope, needed: needed,
                isOwn: owner == .caller ? nil : options.hasHardware, query: query,
                maximumBodyBytes: maximumBodyBytes ?? options.maximumBodyBytes, bodyTimeout: options.bodyTimeout,
                handler: handler))
    }

    /// Registers an open route.
    /// - Parameter audience: The audience, which determines the listeners that serve it.
    package func open(
        _ methods: [HTTPRequest.Method], _ template: String, for audience: RouteAudience,
        query: QueryParameters = [], use handler: @escaping OpenHandler
    ) {
        add(
            Route(
                methods: methods, template: template, query: query, scope: nil, needed: nil, owner: .counter,
                audience: audience),
            OpenResponder(query: query, actor: audience.actor, handler: handler))
    }

    private func add(_ route: Route, _ responder: any HTTPResponder<RouteContext>) {
        entries.append((route, responder))
    }

    /// Wraps all requests below some addresses, with or without a route.
    package func around(_ scope: RouteScope) { scopes.append(scope) }

    /// Returns the lookup of the registered routes.
    /// - Parameter audiences: Restricts the routes to these audiences; empty for all routes.
    package func built(for audiences: Set<RouteAudience> = []) -> CounterRoutes {
        let router = Router(context: RouteContext.self)
        let entries = entries.filter { audiences.isEmpty || audiences.contains($0.route.audience) }
        var plain: [String: CounterRoutes.Methods] = [:]
        plain.reserveCapacity(entries.count)
        for (route, responder) in entries {
            guard route.template.contains("{") else {
                for method in route.methods {
                    assert(plain[route.template]?[method] == nil, "\(method) \(route.template) is registered twice")
                    plain[route.template, default: [:]][method] = responder
                }
                continue
            }
            let path = RouterPath(route.template)
            for method in route.methods { router.on(path, method: method, responder: responder) }
        }
        let addresses = RouteAddresses(entries.map(\.route))
        // Middleware applies to routes added after it, and to paths without a route. Added last, it costs the routes
        // nothing.
        router.add(middleware: NoRouteFound(addresses: addresses))
        return CounterRoutes(plain: plain, router: router.buildResponder(), addresses: addresses, scopes: scopes)
    }
}

/// The responder of an authenticated route.
private struct AccountResponder: HTTPResponder {
    let authenticator: RequestAuthenticator
    let scope: APIScope
    let needed: StaffPermission?
    /// Returns `true` if the account may use the counter's resources; `nil` for resources of each account's own.
    let isOwn: (@Sendable (AccountID) -> Bool)?
    let query: QueryParameters
    let maximumBodyBytes: Int
    let bodyTimeout: Span
    let handler: CounterRouter.Handler

    func respond(to request: Request, context: RouteContext) async throws -> Response {
        let principal = try await authenticator.principal(of: request, for: scope)
        if let needed { try principal.person?.require(needed) }
        Connection.current?.place.known()
        guard isOwn?(principal.account) ?? true else { throw Problem.notFound }
        try query.check(request)
        let incoming = Incoming(
            request: request, account: principal.account, credential: principal.credential, share: principal.share,
            actor: principal.actor, scopes: principal.scopes, person: principal.person,
            maximumBodyBytes: maximumBodyBytes, bodyTimeout: bodyTimeout, parameters: context.parameters,
            authenticator: authenticator)
        return try await Attribution.ofRequest(by: principal.actor, at: principal.device, drawer: principal.drawer) {
            try await handler(incoming)
        }
    }
}

/// The responder of an open route.
private struct OpenResponder: HTTPResponder {
    let query: QueryParameters
    /// The actor of its requests; `nil` if the route determines it.
    let actor: Actor?
    let handler: CounterRouter.OpenHandler

    func respond(to request: Request, context: RouteContext) async throws -> Response {
        try query.check(request)
        guard let actor else { return try await handler(request, context.parameters) }
        return try await Attribution.ofRequest(by: actor) {
            try await handler(request, context.parameters)
        }
    }
}

/// Handles paths without a route: not found, or the methods that the address supports.
private struct NoRouteFound: RouterMiddleware {
    let addresses: RouteAddresses

    func handle(
        _ request: Request, context: RouteContext, next: (Request, RouteContext) async throws -> Response
    ) async throws -> Response { try await addresses.refuse(request, context) }
}

/// The addresses of the routes, each with the methods that it supports. They are built for the first request without a
/// route: nothing else needs them, and a counter starts the sooner.
final class RouteAddresses: Sendable {
    private let routes: [CounterRouter.Route]
    private let built = Mutex<RouterResponder<RouteContext>?>(nil)

    init(_ routes: [CounterRouter.Route]) { self.routes = routes }

    /// Answers a request without a route.
    /// - Throws: ``Problem/notFound``, or 405 with the methods that the address supports.
    func refuse(_ request: Request, _ context: RouteContext) async throws -> Response {
        var head = request.head
        // Every address is registered there under this method.
        head.method = .get
        return try await responder.respond(to: Request(head: head, body: request.body), context: context)
    }

    /// The responder of every address. Concurrent requests wait until the first of them has built it.
    private var responder: RouterResponder<RouteContext> {
        built.withLock { known in
            if let known { return known }
            let responder = RouteAddresses.responder(of: routes)
            known = responder
            return responder
        }
    }

    private static func responder(of routes: [CounterRouter.Route]) -> RouterResponder<RouteContext> {
        let addresses = Router(context: RouteContext.self)
        for (template, routes) in Dictionary(grouping: routes, by: \.template) {
            addresses.on(
                RouterPath(template), method: .get, responder: MethodRefusal(allowed: routes.flatMap(\.methods)))
        }
        addresses.add(middleware: NothingFound())
        return addresses.buildResponder()
    }
}

/// The response to an unsupported method.
private struct MethodRefusal: HTTPResponder {
    let allowed: [HTTPRequest.Method]

    func respond(to request: Request, context: RouteContext) throws(Problem) -> Response {
        throw .notAllowed(context.method, allowed: allowed)
    }
}

/// The response to an unknown address.
private struct NothingFound: RouterMiddleware {
    func handle(
        _ request: Request, context: RouteContext, next: (Request, RouteContext) async throws -> Response
    ) throws(Problem) -> Response { throw .notFound }
}

extension Problem {
    /// The problem of an unsupported method, with the supported ones.
    fileprivate static func notAllowed(_ method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(
            .methodNotAllowed, "method_not_allowed", "This address does not take \(method.rawValue).",
            next: "Use \(names).")
        problem.headers[.allow] = names
        return problem
    }
}
