import HTTPTypes
import Hummingbird

/// The files that pages with Apple Pay load.
enum ApplePayAssets {
    static let all = [
        Asset("/applepay/client.js", Asset.javaScript, PackageResources.applepay_client_js),
        Asset("/applepay/client.css", Asset.css, PackageResources.applepay_client_css),
        Asset("/applepay/openapi.yaml", Asset.yaml, PackageResources.applepay_openapi_yaml),
        Asset("/applepay/icon.png", "image/png", PackageResources.applepay_icon_png),
    ]
    /// Those of the simulator and the demo shop: only where the counter is in the sandbox.
    static let sandbox = [
        Asset("/applepay/simulator.js", Asset.javaScript, PackageResources.applepay_simulator_js),
        Asset("/applepay/simulator.css", Asset.css, PackageResources.applepay_simulator_css),
        Asset("/shop/shop.js", Asset.javaScript, PackageResources.applepay_shop_js),
        Asset("/shop/shop.css", Asset.css, PackageResources.applepay_shop_css),
    ]

    /// A file that pages of other, registered domains load too; it holds nothing of anybody.
    static func response(_ asset: Asset) -> Response {
        var response = asset.response
        response.headers[Incoming.name("Cross-Origin-Resource-Policy")] = "cross-origin"
        return response
    }
}
