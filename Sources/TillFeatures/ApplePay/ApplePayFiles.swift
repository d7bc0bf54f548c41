import TillWeb

extension PageAsset {
    /// The files of Apple Pay's sheet, its simulator and the demo shop, by path.
    static let ofApplePay: [String: PageAsset] = [
        "/applepay/client.js": script(PackageResources.applepay_client_js, .anyOrigin),
        "/applepay/outcome.js": script(PackageResources.outcome_js, .anyOrigin),
        "/applepay/client.css": style(PackageResources.applepay_client_css, .anyOrigin),
        "/applepay/icon.png": PageAsset(
            bytes: PackageResources.applepay_icon_png, type: "image/png", audience: .anyOrigin),
        "/applepay/openapi.yaml": PageAsset(
            bytes: PackageResources.applepay_openapi_yaml, type: "application/yaml", audience: .anyOrigin),
        "/applepay/simulator.js": script(PackageResources.applepay_simulator_js, .sandbox),
        "/applepay/simulator.css": style(PackageResources.applepay_simulator_css, .sandbox),
        "/shop/shop.js": script(PackageResources.applepay_shop_js, .sandbox),
        "/shop/shop.css": style(PackageResources.applepay_shop_css, .sandbox),
    ]
}
