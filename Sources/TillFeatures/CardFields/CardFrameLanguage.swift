import TillReceipts

/// The language of the frame with the card fields: one of those that receipts have, with a region for how amounts are
/// written.
struct CardFrameLanguage: Hashable, Sendable {
    /// The maximum number of languages of a browser that are read.
    private static let maximumAccepted = 20
    /// The maximum length of a list of languages, or of one tag; the rest of it is ignored.
    private static let maximumLength = 256

    /// The tag, such as `de` or `fr-CA`: ASCII letters and at most one hyphen.
    let tag: String
    /// `true` if the language is written from right to left.
    let isRightToLeft: Bool

    /// The language without another one.
    static let english = CardFrameLanguage(language: "en", region: nil)

    private init(language: String, region: String?) {
        tag = region.map { "\(language)-\($0)" } ?? language
        isRightToLeft = ReceiptLabels(language: language).isRightToLeft
    }

    /// Creates the language of a tag, such as `de`, `fr-CA` or `zh-Hant-TW`; `nil` if there are no texts in it.
    init?(_ text: some StringProtocol) {
        let read = String(text.prefix(CardFrameLanguage.maximumLength)).lowercased()
        let parts = read.split { $0 == "-" || $0 == "_" }
        guard let first = parts.first else { return nil }
        // The code of Hebrew before 1989, which some browsers still send.
        let language = first == "iw" ? "he" : String(first)
        guard ReceiptLabels.languages.contains(language) else { return nil }
        // Extensions follow a single character.
        let region = parts.dropFirst().prefix { $0.count > 1 }.first { part in
            part.count == 2 && part.allSatisfy { $0.isASCII && $0.isLetter }
        }
        self.init(language: language, region: region?.uppercased())
    }

    /// Returns the language that was asked for, else the one that the browser likes best, else English.
    /// - Parameters:
    ///   - asked: The tag of the element or of the shop's page.
    ///   - accepted: The browser's `Accept-Language`.
    static func chosen(asked: String?, accepted: String?) -> CardFrameLanguage {
        if let asked, let language = CardFrameLanguage(asked) { return language }
        return best(of: accepted ?? "") ?? .english
    }

    /// Returns the language of the highest quality in an `Accept-Language` (RFC 9110, 12.5.4), the first one of
    /// several; `nil` if there are texts in none of them.
    private static func best(of accepted: String) -> CardFrameLanguage? {
        var best: (language: CardFrameLanguage, quality: Double)?
        for entry in accepted.prefix(maximumLength).lowercased().split(separator: ",").prefix(maximumAccepted) {
            let parts = entry.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
            guard let tag = parts.first, let language = CardFrameLanguage(tag) else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            // Not a number is greater than nothing, so such an entry is left out.
            if quality > 0, quality <= 1, quality > best?.quality ?? 0 { best = (language, quality) }
        }
        return best?.language
    }
}
