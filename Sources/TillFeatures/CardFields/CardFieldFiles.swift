import TillWeb

extension PageAsset {
    /// The files of the card fields, by path. The frame's page is made by its route.
    static let ofCardFields: [String: PageAsset] = [
        "/card/client.js": script(PackageResources.card_client_js, .anyOrigin),
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
