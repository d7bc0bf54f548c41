import TillWeb

extension PageAsset {
    /// The script that defines `<till-card>`. It imports no other one, so a page that checks its digest has checked all
    /// that runs in the page.
    static let cardClient = script(PackageResources.card_client_js, .anyOrigin)
    /// The path of ``cardClient``.
    static let cardClientPath = "/card/client.js"
    /// The digest of ``cardClient``, for the `integrity` of a page's script tag.
    static let cardClientIntegrity = cardClient.integrity

    /// The files of the card fields, by path. The frame's page is made by its route.
    static let ofCardFields: [String: PageAsset] = [
        cardClientPath: cardClient,
        "/card/frame.js": ofFrame(PackageResources.card_frame_js, "text/javascript"),
        "/card/own-fields.js": ofFrame(PackageResources.card_own_fields_js, "text/javascript"),
        "/card/provider-fields.js": ofFrame(PackageResources.card_provider_fields_js, "text/javascript"),
        "/card/words.js": ofFrame(PackageResources.card_words_js, "text/javascript"),
        "/card/words-latin.js": ofFrame(PackageResources.card_words_latin_js, "text/javascript"),
        "/card/words-scripts.js": ofFrame(PackageResources.card_words_scripts_js, "text/javascript"),
        "/card/frame.css": ofFrame(PackageResources.card_frame_css, "text/css"),
    ]

    private static func ofFrame(
        _ bytes: @autoclosure @escaping @Sendable () -> [UInt8], _ type: String
    ) -> PageAsset {
        PageAsset(bytes: bytes(), type: "\(type); charset=utf-8", audience: .counter, isOfCustomers: true)
    }
}
