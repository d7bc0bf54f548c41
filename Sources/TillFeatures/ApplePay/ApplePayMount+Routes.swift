import HTTPTypes
import Hummingbird
package import TillCore
import TillCounter
package import TillWeb

extension ApplePayMount {
    /// Registers the routes without setting up Apple Pay; the first request for one of them does that.
    /// - Parameters:
    ///   - orderScope: the scope of the shop's order numbers.
    ///   - quotes: the prices that shops tell while a sheet is open; `nil` for a counter that asks no shop.
    package func register(on router: CounterRouter, orderScope: OrderScope?, quotes: ShopQuotes?) {
        let routes = { @Sendable in try self.web().routes.quoting(quotes) }
        registerBaskets(on: router, orderScope, routes)
        router.around(
            RouteScope(contains: ApplePayRoutes.own) { request, context, next in
                try await routes().answer(request, context, next)
            })
        let reading: [HTTPRequest.Method] = [.get, .head]
        func on(
            _ methods: [HTTPRequest.Method], _ template: String, for audience: RouteAudience = .customer,
            query: QueryParameters = [],
            _ work: @escaping @Sendable (ApplePayRoutes, Request, Parameters) async throws -> Response
        ) {
            router.open(methods, template, for: audience, query: query) { request, parameters in
                try await work(routes(), request, parameters)
            }
        }
        for path in ApplePayRoutes.associations {
            on(reading, path) { routes, request, _ in try routes.associationFile(request) }
        }
        on(reading, "/applepay/metadata", query: ["visitor"]) { routes, request, _ in try routes.metadata(request) }
        on([.post], "/applepay/validate") { routes, request, _ in try await routes.validate(request) }
        on(reading, "/applepay/basket/{id}") { try await $0.basket($2.text("id"), $1) }
        on([.post], "/applepay/basket/{id}/validatepostalcode") {
            try await $0.validatePostalCode($2.text("id"), $1)
        }
        on([.post], "/applepay/basket/{id}/update") { try await $0.update($2.text("id"), $1) }
        on([.post], "/applepay/basket/{id}/details") { try await $0.details($2.text("id"), $1) }
        on([.post], "/applepay/payment") { routes, request, _ in try await routes.payment(request) }
        on(reading, "/applepay/payment/{id}") { try await $0.status($2.text("id"), $1) }
        // Apple calls the address configured by the shop, including its query.
        for template in ["/applepay/notifications/{event}", "/applepay/notifications/merchantToken/{event}"] {
            on(reading + [.post], template, for: .provider, query: .any) { try await $0.notified($2.text("event"), $1) }
        }
        for (path, asset) in PageAsset.ofApplePay where asset.audience != .sandbox || hasShop {
            router.open(reading, path, for: asset.reader) { request, _ in asset.response(to: request) }
        }
        guard hasShop else { return }
        on([.post], "/applepay/sandbox/authorize") { routes, request, _ in try await routes.authorize(request) }
        router.open(reading, "/shop", for: .customer, query: .any) { request, _ in ShopRoutes.page(to: request) }
        func shop(
            _ methods: [HTTPRequest.Method], _ template: String,
            _ work: @escaping @Sendable (ShopRoutes, Request) async throws -> Response
        ) {
            on(methods, template) { routes, request, _ in try await work(ShopRoutes(routes: routes), request) }
        }
        shop(reading, "/shop/session") { try await $0.session($1) }
        shop([.post], "/shop/session") { try await $0.signIn($1) }
        shop([.delete], "/shop/session") { try $0.signOut($1) }
        shop([.post], "/shop/baskets") { try await $0.open($1) }
    }

    /// Registers the routes for the shop's own server.
    private func registerBaskets(
        on router: CounterRouter, _ orderScope: OrderScope?, _ routes: @escaping @Sendable () throws -> ApplePayRoutes
    ) {
        let baskets = { @Sendable in BasketRoutes(routes: try routes(), orderScope: orderScope) }
        let (all, one) = ("/v1/applepay/baskets", "/v1/applepay/baskets/{id}")
        let limit = BasketRequest.maximumBodyBytes
        router.post(all, for: .sell, of: .counter, maximumBodyBytes: limit) { try await baskets().open($0) }
        router.get(one, for: .read, of: .counter) { try await baskets().show($0) }
        router.on([.put], one, for: .sell, of: .counter, maximumBodyBytes: limit) { try await baskets().replace($0) }
        router.post("/v1/applepay/guests/redeem", for: .sell, of: .counter, maximumBodyBytes: 4_096) {
            try await baskets().redeem($0)
        }
        router.on([.delete], "/v1/applepay/guests/{id}", for: .sell, of: .counter) {
            try await baskets().eraseGuest($0)
        }
        router.on([.delete], one, for: .sell, of: .counter) { try await baskets().close($0) }
    }
}
