public import Foundation

/// The labels of a receipt in one language.
public struct ReceiptLabels: Sendable {
    /// The ISO 639 language code: `en`, `de`, `fr`, `es`, `it`, `pl`, `ja`, `ar`, `he`.
    public let language: String
    /// The language tag of a page, such as `fr-CA`.
    public let tag: String
    /// `true` if the language is written from right to left.
    public let isRightToLeft: Bool
    private let words: [ReceiptText]

    /// The supported receipt languages.
    public static let languages = ["en", "de", "fr", "es", "it", "pl", "ja", "ar", "he"]

    /// Returns the labels of a locale; English if its language is not supported.
    public init(_ locale: Locale) {
        let identifier = locale.identifier.replacing("-", with: "_").lowercased()
        let parts = identifier.prefix { $0 != "@" && $0 != "." }.split(separator: "_")
        let region = parts.dropFirst().last { $0.count == 2 }
        switch parts.first {
        case "de": self = .german
        case "fr": self = region == "ca" ? .canadianFrench : .french
        case "es": self = .spanish
        case "it": self = .italian
        case "pl": self = .polish
        case "ja": self = .japanese
        case "ar": self = .arabic
        case "he", "iw": self = .hebrew
        default: self = .english
        }
    }

    /// Returns the labels of a language in ``languages``; English for any other.
    package init(language: String) { self.init(Locale(identifier: language)) }

    /// All labels of the language, in no significant order.
    package var all: [ReceiptText] { words }

    private init(_ language: String, _ all: [ReceiptLabel: String], tag: String? = nil) {
        self.language = language
        self.tag = tag ?? language
        isRightToLeft = language == "ar" || language == "he"
        words = ReceiptLabel.allCases.map { label in
            ReceiptText(own: all[label] ?? ReceiptLabels.englishWords[label] ?? "")
        }
    }

    subscript(label: ReceiptLabel) -> ReceiptText { words[label.rawValue] }

    static let english = ReceiptLabels("en", englishWords)
    static let german = ReceiptLabels("de", germanWords)
    static let french = ReceiptLabels("fr", frenchWords)
    static let canadianFrench = ReceiptLabels(
        "fr", frenchWords.merging(canadianFrenchWords) { $1 }, tag: "fr-CA")
    static let spanish = ReceiptLabels("es", spanishWords)
    static let italian = ReceiptLabels("it", italianWords)
    static let polish = ReceiptLabels("pl", polishWords)
    static let japanese = ReceiptLabels("ja", japaneseWords)
    static let arabic = ReceiptLabels("ar", arabicWords)
    static let hebrew = ReceiptLabels("he", hebrewWords)
}
