import HTTPTypes
import Hummingbird
package import TillCore
package import TillWeb

/// `/kitchen`: the page on which those who prepare orders see them. Its files contain no data.
package struct KitchenRoutes: Sendable {
    private let mode: PaymentMode
    private let made = MadePages()

    package init(mode: PaymentMode) { self.mode = mode }

    private static let files: [String: PageAsset] = [
        "/kitchen.js": .script(PackageResources.kitchen_js), "/kitchen.css": .style(PackageResources.kitchen_css),
    ]

    package func register(on router: CounterRouter) {
        router.open([.get, .head], "/kitchen", for: .clerk) { request, _ in page(to: request) }
        for (path, asset) in KitchenRoutes.files {
            router.open([.get, .head], path, for: asset.reader) { request, _ in asset.response(to: request) }
        }
    }

    private func page(to request: Request) -> Response {
        let mark = mode == .live ? "" : "<p class=\"test\">TEST – no real money moves</p>"
        let page = made.page(
            "kitchen", .counter,
            Array(String(decoding: PackageResources.kitchen_html, as: UTF8.self).replacing("{mark}", with: mark).utf8))
        var response = page.response(to: request)
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'"
        return response
    }
}
