import HTTPTypes
import Hummingbird
import NIOCore
import TillApplePay
import TillCore

/// The demo shop: a page that does what a shop's page does, with goods of its own. Only in the sandbox.
struct ShopRoutes: Sendable {
    let routes: ApplePayRoutes

    func answer(_ request: Request, _ parts: [String], route: inout String) async throws -> Response {
        guard routes.sandbox != nil else { throw Problem.notFound }
        let isReading = request.method == .get || request.method == .head
        switch (parts.count, parts.last) {
        case (1, _) where isReading:
            var response = ApplePayAssets.file(PackageResources.applepay_shop_html, "text/html; charset=utf-8")
            response.headers[.contentSecurityPolicy] =
                "default-src 'none'; script-src 'self' https://applepay.cdn-apple.com; style-src 'self'; "
                + "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            return response
        case (2, "shop.js"?) where isReading:
            route = "/shop/shop.js"
            return ApplePayAssets.file(PackageResources.applepay_shop_js, "text/javascript; charset=utf-8")
        case (2, "shop.css"?) where isReading:
            route = "/shop/shop.css"
            return ApplePayAssets.file(PackageResources.applepay_shop_css, "text/css; charset=utf-8")
        case (2, "baskets"?) where request.method == .post:
            route = "/shop/baskets"
            return try await open(request)
        default: throw Problem.notFound
        }
    }

    /// Fills a basket. Prices are the shop's, whatever the page says.
    private func open(_ request: Request) async throws -> Response {
        _ = try routes.domain(of: request)
        let body = try await Incoming(request: request, account: .main, maximumBodyBytes: 4096).document()
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
        let random = (0..<10).map { _ in UInt8.random(in: .min ... .max) }
        let basket = SheetBasket(
            id: "shop-" + Hex.lowercase(random), currency: currency, service: service,
            lines: [
                SheetItem(label: "Margherita", amount: money(899)), SheetItem(label: "Tiramisu", amount: money(450)),
            ],
            shippingMethods: [
                SheetShippingMethod(
                    identifier: "standard", label: "Delivery", detail: "In 45 minutes", amount: money(250)),
                SheetShippingMethod(
                    identifier: "express", label: "Express delivery", detail: "In 25 minutes", amount: money(499)),
            ])
        await routes.baskets.open(basket)
        return ApplePayRoutes.json(
            .object([
                JSONMember(key: "basket", value: .string(basket.id)),
                JSONMember(key: "total", value: .string(try basket.total().decimalString)),
            ]), status: .created)
    }
}
