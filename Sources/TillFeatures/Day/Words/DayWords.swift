/// A fixed text of a report on paper.
enum DayWord: CaseIterable {
    case xReport
    /// With the number, `{name}`.
    case zReport
    /// With the time zone, `{zone}`.
    case timesIn
    /// With `{time}`, as the two below.
    case readAt
    case drawer
    case currency
    case openSince
    case drawerCounted
    case closedAt
    case reason
    /// With the event's `{number}`.
    case headAfter
    case unreadable
    case sales
    case refunds
    case disputed
    case netSales
    case net
    case tips
    case discounts
    case byTender
    case byProvider
    case byDrawer
    case byNetwork
    case byTax
    case byTips
    case byReason
    case byStaff
    case byShop
    /// With the time zone, `{zone}`.
    case byHour
    case card
    case reader
    case cash
    case wallet
    case elsewhere
    case firstDrawer
    case noCard
    case priceWithoutTax
    case other
    case notKnown
    case noName
    case noTables
    case accountHasTables
    case grandTotals
    case float
    case openingDifference
    case openingReason
    case cashSales
    case cashRefunds
    case paidIn
    case paidOut
    case bankDrop
    case cashForRefund
    case expected
    case counted
    case difference
    case left
    case movements
}

/// The texts of a report on paper in one of the languages of receipts, as the page of the day says the same.
struct DayWords: Sendable {
    private let texts: [DayWord: String]

    /// Returns the texts of a language of receipts; English for any other.
    init(_ language: String) { texts = DayWords.all[language] ?? DayWords.english }

    /// The languages, by their codes.
    static let all: [String: [DayWord: String]] = [
        "en": english, "de": german, "fr": french, "es": spanish, "it": italian, "pl": polish, "ja": japanese,
        "ar": arabic, "he": hebrew,
    ]

    subscript(word: DayWord) -> String { texts[word] ?? DayWords.english[word] ?? "" }

    /// Returns a text with a value in the place of its name in braces.
    func text(_ word: DayWord, _ name: String, _ value: String) -> String {
        self[word].replacing("{\(name)}", with: value)
    }
}
