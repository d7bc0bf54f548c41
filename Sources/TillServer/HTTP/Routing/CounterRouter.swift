import HTTPTypes
import Hummingbird
import TillCore

/// Hummingbird's router as the counter's features register with it: a route says who may ask, how long its body may be
/// and which parameters its query has. Used while the counter starts; ``built()`` makes what finds routes.
final class CounterRouter {
    /// What a route does for the shop that asks.
    typealias Handler = @Sendable (Incoming) async throws -> Response
    /// What a route does for anybody who asks.
    typealias OpenHandler = @Sendable (Request, Parameters) async throws -> Response

    /// An address with the methods that it was registered for at once.
    struct Route: Sendable {
        let methods: [HTTPRequest.Method]
        /// The path; a part in braces takes any text.
        let template: String
        let query: QueryParameters
        /// What whoever asks must be allowed; `nil`: anybody may ask.
        let permission: Permission?
        /// What somebody of the staff must be allowed beside it.
        let needed: StaffPermission?
        let owner: RouteOwner
        let audience: RouteAudience
        /// Whether anybody may ask.
        var isOpen: Bool { permission == nil }
    }

    /// Everything that was registered.
    var routes: [Route] { entries.map(\.route) }
    private var entries: [(route: Route, responder: any HTTPResponder<RouteContext>)] = []
    private var scopes: [RouteScope] = []
    private let authenticator: RequestAuthenticator
    private let options: ServerOptions

    init(authenticator: RequestAuthenticator, options: ServerOptions) {
        self.authenticator = authenticator
        self.options = options
    }

    /// Reading for the shop; its head alone can be asked for too.
    func get(
        _ template: String, for permission: Permission, of owner: RouteOwner, needs needed: StaffPermission? = nil,
        query: QueryParameters = [], use handler: @escaping Handler
    ) {
        on([.get, .head], template, for: permission, of: owner, needs: needed, query: query, use: handler)
    }

    /// A change for the shop.
    /// - Parameter maximumBodyBytes: the longest body; the counter's own limit if `nil`.
    func post(
        _ template: String, for permission: Permission, of owner: RouteOwner, needs needed: StaffPermission? = nil,
        maximumBodyBytes: Int? = nil, use handler: @escaping Handler
    ) {
        on(
            [.post], template, for: permission, of: owner, needs: needed, maximumBodyBytes: maximumBodyBytes,
            use: handler)
    }

    /// A route for whoever shows a key of the shop, or comes from its page, and is allowed that.
    func on(
        _ methods: [HTTPRequest.Method], _ template: String, for permission: Permission, of owner: RouteOwner,
        needs needed: StaffPermission? = nil, query: QueryParameters = [], maximumBodyBytes: Int? = nil,
        use handler: @escaping Handler
    ) {
        add(
            Route(
                methods: methods, template: template, query: query, permission: permission, needed: needed,
                owner: owner, audience: .clerk),
            AccountResponder(
                authenticator: authenticator, permission: permission, needed: needed,
                isOwn: owner == .asker ? nil : options.hasHardware, query: query,
                maximumBodyBytes: maximumBodyBytes ?? options.maximumBodyBytes, bodyTimeout: options.bodyTimeout,
                handler: handler))
    }

    /// A route for anybody.
    /// - Parameter audience: whom it is there for, which decides where it is served.
    func open(
        _ methods: [HTTPRequest.Method], _ template: String, for audience: RouteAudience,
        query: QueryParameters = [], use handler: @escaping OpenHandler
    ) {
        add(
            Route(
                methods: methods, template: template, query: query, permission: nil, needed: nil, owner: .counter,
                audience: audience),
            OpenResponder(query: query, actor: audience.actor, handler: handler))
    }

    private func add(_ route: Route, _ responder: any HTTPResponder<RouteContext>) {
        entries.append((route, responder))
    }

    /// Puts something around all that is asked below some addresses, whether there is a route or not.
    func around(_ scope: RouteScope) { scopes.append(scope) }

    /// What finds the routes that were registered.
    /// - Parameter audiences: only routes for these; all for none.
    func built(for audiences: Set<RouteAudience> = []) -> CounterRoutes {
        let router = Router(context: RouteContext.self)
        let addresses = Router(context: RouteContext.self)
        let entries = entries.filter { audiences.isEmpty || audiences.contains($0.route.audience) }
        for (route, responder) in entries {
            for method in route.methods { router.on(RouterPath(route.template), method: method, responder: responder) }
        }
        for (template, routes) in Dictionary(grouping: entries.map(\.route), by: \.template) {
            addresses.on(
                RouterPath(template), method: .get, responder: MethodRefusal(allowed: routes.flatMap(\.methods)))
        }
        // Middleware is asked by routes that are added after it, and where there is no route at all. Added last, it
        // costs the routes nothing.
        addresses.add(middleware: NothingFound())
        router.add(middleware: NoRouteFound(addresses: addresses.buildResponder()))
        return CounterRoutes(router: router.buildResponder(), scopes: scopes)
    }
}

/// A route with the shop that asks.
private struct AccountResponder: HTTPResponder {
    let authenticator: RequestAuthenticator
    let permission: Permission
    let needed: StaffPermission?
    /// Whether the counter's things are an account's; `nil` where each finds its own.
    let isOwn: (@Sendable (AccountID) -> Bool)?
    let query: QueryParameters
    let maximumBodyBytes: Int
    let bodyTimeout: Span
    let handler: CounterRouter.Handler

    func respond(to request: Request, context: RouteContext) async throws -> Response {
        let principal = try await authenticator.principal(of: request, for: permission)
        if let needed { try principal.person?.require(needed) }
        Connection.current?.place.known()
        guard isOwn?(principal.account) ?? true else { throw Problem.notFound }
        try query.check(request)
        let incoming = Incoming(
            request: request, account: principal.account, credential: principal.credential, share: principal.share,
            actor: principal.actor, permissions: principal.permissions, person: principal.person,
            maximumBodyBytes: maximumBodyBytes, bodyTimeout: bodyTimeout, parameters: context.parameters)
        return try await Attribution.ofRequest(by: principal.actor, at: principal.device) {
            try await handler(incoming)
        }
    }
}

/// A route for anybody.
private struct OpenResponder: HTTPResponder {
    let query: QueryParameters
    /// Who acts through it; `nil` where the route itself finds that out.
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

/// Asked where no route was found: says so, or which methods the address takes.
private struct NoRouteFound: RouterMiddleware {
    let addresses: RouterResponder<RouteContext>

    func handle(
        _ request: Request, context: RouteContext, next: (Request, RouteContext) async throws -> Response
    ) async throws -> Response {
        var head = request.head
        // The method under which every address is registered there.
        head.method = .get
        return try await addresses.respond(to: Request(head: head, body: request.body), context: context)
    }
}

/// An address that does not take the method it was asked with.
private struct MethodRefusal: HTTPResponder {
    let allowed: [HTTPRequest.Method]

    func respond(to request: Request, context: RouteContext) throws(Problem) -> Response {
        throw .notAllowed(context.method, allowed: allowed)
    }
}

/// No address at all.
private struct NothingFound: RouterMiddleware {
    func handle(
        _ request: Request, context: RouteContext, next: (Request, RouteContext) async throws -> Response
    ) throws(Problem) -> Response { throw .notFound }
}

extension Problem {
    /// An address that does not take a method, with those that it takes.
    fileprivate static func notAllowed(_ method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(
            .methodNotAllowed, "method_not_allowed", "This address does not take \(method.rawValue).",
            next: "Use \(names).")
        problem.headers[.allow] = names
        return problem
    }
}
