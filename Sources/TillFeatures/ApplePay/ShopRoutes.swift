import HTTPTypes
import Hummingbird
import NIOCore
import TillApplePay
import TillCore
import TillWeb

/// The demo shop: a page that integrates Apple Pay as a shop's page does, with goods of its own. Sandbox only.
struct ShopRoutes: Sendable {
    let routes: ApplePayRoutes

    private static let file = PageAsset.page(PackageResources.applepay_shop_html, .sandbox)

    static func page(to request: Request) -> Response {
        var response = file.response(to: request)
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self' https://applepay.cdn-apple.com; style-src 'self'; "
            + "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        return response
    }

    // MARK: Session

    private static let cookie = "till-shop"

    /// Returns the signed-in customer.
    func session(_ request: Request) async throws -> Response {
        _ = try routes.domain(of: request)
        return Self.signedIn(try await customer(of: request))
    }

    /// Signs in with the token of a guest's order, or as the demo's own customer.
    func signIn(_ request: Request) async throws -> Response {
        _ = try routes.domain(of: request)
        let body = try await Incoming(request: request, account: routes.account, maximumBodyBytes: 4096).document()
        if body["demo"] == .bool(true), let customer = try await routes.customers.demoCustomer() {
            return Self.signedIn(customer.id, cookie: customer.token.reveal())
        }
        guard let token = try body.text("token", atMost: 128) else {
            throw Problem.field("token", "It is missing.")
        }
        guard let customer = try await routes.customers.customer(showing: token) else {
            // Slows down guessing.
            try await routes.clock.sleep(for: .milliseconds(300))
            throw Problem.unauthorized
        }
        return Self.signedIn(customer, cookie: token)
    }

    func signOut(_ request: Request) throws -> Response {
        _ = try routes.domain(of: request)
        return Self.signedIn(nil, cookie: "")
    }

    private func customer(of request: Request) async throws -> String? {
        let pairs = (request.headers[.cookie] ?? "").split(separator: ";").map { pair in
            pair.drop { $0 == " " }
        }
        let name = ShopRoutes.cookie + "="
        guard let token = pairs.first(where: { $0.hasPrefix(name) })?.dropFirst(name.count) else { return nil }
        return try await routes.customers.customer(showing: String(token))
    }

    private static func signedIn(_ customer: String?, cookie: String? = nil) -> Response {
        var response = ApplePayRoutes.json(
            .object([JSONMember(key: "account", value: customer.map { .string($0) } ?? .null)]))
        if let cookie {
            let age = cookie.isEmpty ? "; Max-Age=0" : ""
            response.headers[.setCookie] =
                "\(ShopRoutes.cookie)=\(cookie); Path=/shop; HttpOnly; SameSite=Strict\(age)"
        }
        return response
    }

    /// Fills a basket. Prices come from the shop, never from the page.
    func open(_ request: Request) async throws -> Response {
        _ = try routes.domain(of: request)
        let body = try await Incoming(request: request, account: routes.account, maximumBodyBytes: 4096).document()
        let currency = routes.options.currency
        func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: currency) }
        let service: SheetBasket.Service
        switch try body.text("service", atMost: 16) {
        case "delivery"?: service = .delivery
        case "collection"?:
            service = .collection(
                SheetBasket.ShopAddress(
                    name: "Till Pizza", addressLines: ["1 Fleet Place"], locality: "London", postalCode: "EC4M 7RF",
                    countryCode: "GB"))
        default: throw Problem.field("service", "It must be delivery or collection.")
        }
        // Letters only: digits might read as a card number.
        let letters = (0..<16).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }
        let basket = SheetBasket(
            id: "shop-" + String(decoding: letters, as: UTF8.self), currency: currency, service: service,
            lines: [
                SheetItem(label: "Margherita", amount: money(899)), SheetItem(label: "Tiramisu", amount: money(450)),
            ],
            shippingMethods: [
                SheetShippingMethod(
                    identifier: "standard", label: "Delivery", detail: "In 45 minutes", amount: money(250)),
                SheetShippingMethod(
                    identifier: "express", label: "Express delivery", detail: "In 25 minutes", amount: money(499)),
            ])
        try await routes.baskets.open(basket, account: try await customer(of: request))
        let lines = try routes.options.factory.summaryItems(for: basket).dropLast().map(\.json)
        return ApplePayRoutes.json(
            .object([
                JSONMember(key: "basket", value: .string(basket.id)),
                JSONMember(key: "lines", value: .array(lines)),
                JSONMember(key: "total", value: .string(try basket.total().decimalString)),
            ]), status: .created)
    }
}
