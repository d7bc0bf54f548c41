import TillWeb

extension PageAsset {
    /// The files of the card fields, by path. The frame's page is made by its route.
    static let ofCardFields: [String: PageAsset] = [
        "/card/client.js": script(PackageResources.card_client_js, .anyOrigin),
        "/card/frame.js": PageAsset(
            bytes: PackageResources.card_frame_js, type: "text/javascript; charset=utf-8", audience: .counter,
            isOfCustomers: true),
        "/card/frame.css": PageAsset(
            bytes: PackageResources.card_frame_css, type: "text/css; charset=utf-8", audience: .counter,
            isOfCustomers: true),
    ]
}
