/// The implication of a provider's code for the money of the answered call.
public enum CodeMoney: String, Hashable, Sendable, CaseIterable {
    /// This call certainly moved nothing.
    case nothingMoved = "nothing_moved"
    /// The requested operation, or a part of it, seems to be done already: by an earlier call of ours or externally.
    case movedAlready = "moved_already"
    /// The code alone is not conclusive.
    case notKnown = "not_known"
    /// This call certainly moved nothing, and the customer cannot resolve it: our account, our key or our request is
    /// wrong.
    case ourSetup = "our_setup"

    /// `true` if the provider must be queried before anything can be concluded about the money.
    public var needsQuery: Bool {
        switch self {
        case .movedAlready, .notKnown: true
        case .nothingMoved, .ourSetup: false
        }
    }
}

/// The conditions under which the same call can succeed later.
public enum CodeRetry: String, Hashable, Sendable, CaseIterable {
    /// Retrying does not help.
    case no
    /// Retry the same call a while later.
    case later
    /// Retry with another card, other customer input, or another amount.
    case changed
    /// Retry once the shop's account, key or settings are corrected.
    case afterSetup = "after_setup"
    /// Retry if a query shows that it is not done.
    case afterQuery = "after_query"
}

/// One code of a provider: a row of a ``ProviderCodeTable``.
public struct ProviderCode: Hashable, Sendable {
    /// The code, as the provider spells it.
    public let rawValue: String
    /// The provider's name of the code, if the code itself is a number.
    public let name: String?
    /// The implication for the money.
    public let money: CodeMoney
    /// The conditions of a retry.
    public let retry: CodeRetry
    /// The reason, as classified by Till.
    public let reason: DeclineReason
}

/// The codes that a provider documents for one kind of answer. The provider's adapter decides by it, and
/// `docs/PROVIDER_CODES.md` is generated from it. A code in no table keeps its raw value.
public struct ProviderCodeTable: Sendable {
    /// Rows with the same meaning.
    public struct Group: Sendable {
        let money: CodeMoney
        let retry: CodeRetry
        let reason: DeclineReason
        let words: String

        /// - Parameter words: The codes, separated by spaces; `code=Name` if the provider has a name for the code.
        public init(_ money: CodeMoney, _ retry: CodeRetry, _ reason: DeclineReason, _ words: String) {
            self.money = money
            self.retry = retry
            self.reason = reason
            self.words = words
        }
    }

    /// The table's stable name, such as `stripe.errors`.
    public let name: String
    /// The answers to which the table applies, for display.
    public let title: String
    /// The provider's documentation of the codes.
    public let source: String
    /// The rows, sorted by code; each code once.
    public let codes: [ProviderCode]
    private let byCode: [String: ProviderCode]

    /// Creates a table. The first row of a code takes precedence.
    public init(_ name: String, title: String, source: String, _ groups: [Group]) {
        self.name = name
        self.title = title
        self.source = source
        var rows: [String: ProviderCode] = [:]
        for group in groups {
            for word in group.words.split(whereSeparator: \.isWhitespace) {
                let parts = word.split(separator: "=", maxSplits: 1).map { String($0) }
                guard rows[parts[0]] == nil else { continue }
                rows[parts[0]] = ProviderCode(
                    rawValue: parts[0], name: parts.count > 1 ? parts[1] : nil, money: group.money, retry: group.retry,
                    reason: group.reason)
            }
        }
        byCode = rows
        codes = rows.values.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the row of a code; `nil` if the provider has added it since, or if it belongs to another kind of answer.
    public subscript(code: String) -> ProviderCode? { byCode[code] }
}
